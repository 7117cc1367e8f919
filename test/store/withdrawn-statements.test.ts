import { beforeEach, expect, test } from 'vitest';
import {
  invalidateFilingFollowers,
  statedBy,
  withdrawFormer,
} from '../../src/derive/report/filing-followers.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { saveMappings, securitiesIn } from '../../src/store/security/securities.ts';
import { parsedDoc } from '../filings/doc.ts';
import { filingBytes } from '../filings/read.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const FORM = '0001214659-20-002786' as Accession;
const OTHER = '0001214659-20-009999' as Accession;
const filing = parsedDoc(parseFiling(filingBytes(`form-4/${FORM}.txt`), FORM));

/** As an older parser read it: with another symbol. */
const older = stating('OLDX', { parserVersion: 'form4-1' });

function stating(symbol: string, fields: Partial<FilingDoc> = {}): FilingDoc {
  const content = filing.content as Ownership;
  return { ...filing, content: { ...content, issuer: { ...content.issuer, symbol } }, ...fields };
}

const world = opened(openWorld);
beforeEach(async () => {
  for (const collection of [filingsIn, securitiesIn]) await collection(world.mongo.db).deleteMany({});
  await filingsIn(world.mongo.db).insertOne(filing);
});

const statements = async () =>
  (await securitiesIn(world.mongo.db).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id.split('|')[1]);

test('a symbol is withdrawn that a reading states after the form was read again (rule 3.4)', async () => {
  const { db } = world.mongo;
  // The worker of the older reading was slow: the present one stands, and has withdrawn what was stated before.
  await invalidateFilingFollowers(db, [{ ...filing, former: older }]);
  await invalidateFilingFollowers(db, [older]);
  expect(await statements()).toEqual(['FICO']);
});

test('a symbol stays that another form of the day states while it is withdrawn (rule 3.4)', async () => {
  const { db } = world.mongo;
  await saveMappings(db, statedBy(older));
  const other = stating('OLDX', { _id: OTHER });
  let commands = 0;
  const before = async () => {
    commands += 1;
    if (commands !== 2) return;
    await filingsIn(db).insertOne(other);
    await saveMappings(db, statedBy(other));
  };
  const meanwhile = interruptedDb(db, { before });
  await withdrawFormer(meanwhile, older);
  expect(await statements()).toEqual(['FICO', 'OLDX']);
});
