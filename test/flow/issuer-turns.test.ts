import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { dump } from '../../src/backup/dump.ts';
import { load } from '../../src/backup/load.ts';
import { turnAsOf } from '../../src/derive/corpus/as-of.ts';
import { reconcileIssuer } from '../../src/derive/insider/writer.ts';
import { cikOf, form4, ISSUER, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { publishAsOf, startTurn } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { invalidateNaming } from '../../src/store/invalidation/named-filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { rowsOf, storeForm } from './issuer-forms.ts';

const AS_OF = '2020-06-30' as IsoDate;
const DAY = '2020-03-02' as IsoDate;

const world = opened(openWorld, beforeEach);
let db: Db;
beforeEach(async () => {
  ({ db } = world.mongo);
  await ensureIndexes(db);
  await publishAsOf(db, AS_OF);
});

async function reconcileNaming(accession: Accession, ...issuers: readonly Cik[]): Promise<void> {
  await invalidateNaming(db, 'live', new Map(issuers.map((cik) => [cik, [accession]])));
  for (const cik of issuers) await reconcileIssuer(db, cik);
}

test('a form that is read again as one of another issuer takes its rows along', async () => {
  const form = form4({ number: 1 });
  const { accession } = form.header;
  await storeForm(db, form);
  // The first issuer's rows have a later version than the other one's will have.
  for (const shares of ['5', '6', '7']) {
    await storeForm(db, form4({ number: 1, rows: [{ shares }] }));
    await reconcileNaming(accession, ISSUER);
  }
  const other = cikOf(77);
  await storeForm(db, { ...form, issuer: { ...form.issuer, cik: other } }, 'parsed', other);
  await reconcileNaming(accession, ISSUER, other);
  expect((await rowsOf(db)).map(({ issuerCik }) => issuerCik)).toEqual([other]);
});

test('rows that a run left out after a turn of the day that died are back when the day goes forward again', async () => {
  const rows = [{ transactionDate: DAY }];
  const early = form4({ number: 1, filed: '2020-03-04', rows });
  const late = form4({ number: 2, filed: '2020-03-20', owners: [reportingOwner(2)], rows });
  for (const form of [early, late]) await storeForm(db, form);
  await invalidate(db, 'insider', [ISSUER]);
  await reconcileIssuer(db, ISSUER);
  expect(await rowsOf(db)).toHaveLength(2);
  await startTurn(db, AS_OF);
  await publishAsOf(db, '2020-03-10' as IsoDate, AS_OF);
  await reconcileNaming(early.header.accession, ISSUER);
  expect(await rowsOf(db)).toHaveLength(1);
  await turnAsOf(db, '2020-07-02' as IsoDate, { mayGoBack: true });
  await reconcileIssuer(db, ISSUER);
  expect(await rowsOf(db)).toHaveLength(2);
});

/** The same database. What is `done` happens before the invalidations are read, once `isDue`. */
function interrupted(isDue: () => boolean, done: () => Promise<void>): Db {
  let isOver = false;
  const collection = (name: string) => {
    const found = db.collection(name);
    if (name !== 'invalidations' || isOver || !isDue()) return found;
    isOver = true;
    async function* read() {
      await done();
      yield* db.collection(name).find().sort({ _id: 1 });
    }
    return { find: () => ({ sort: read }) };
  };
  return Object.assign(Object.create(db), { collection });
}

test('a form that is reconciled while a backup is taken has its rows after the restore', async () => {
  await storeForm(db, form4({ number: 1 }));
  await invalidate(db, 'insider', [ISSUER]);
  await reconcileIssuer(db, ISSUER);
  const late = form4({ number: 2, rows: [{ transactionDate: DAY }] });
  await storeForm(db, late);
  const [to, folder] = await Promise.all([openWorld(), mkdtemp(join(tmpdir(), 'tidemark-backup-'))]);
  try {
    const copied: string[] = [];
    const busy = interrupted(
      () => copied.includes('trades'),
      () => reconcileNaming(late.header.accession, ISSUER),
    );
    await dump(busy, folder, { now: () => new Date(), report: ({ name }) => void copied.push(name) });
    const options = { report: () => undefined, beforeOpen: async () => undefined };
    await load(to.mongo.db, folder, options);
    await reconcileIssuer(to.mongo.db, ISSUER);
    const rows = await rowsOf(db);
    expect(rows).toHaveLength(2);
    expect(await rowsOf(to.mongo.db)).toEqual(rows);
  } finally {
    await to.close();
    await rm(folder, { recursive: true });
  }
});
