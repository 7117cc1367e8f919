import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildWithEvidence } from '../../src/domain/brief/brief.ts';
import type { Accession, Cik, Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput, showBrief } from '../../src/read/brief/brief.ts';
import { dropReplaced, expectReplaced, noteReplaced } from '../../src/read/brief/replaced.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { shownBrief } from '../../src/store/publish/briefs.ts';
import { briefsIn } from '../../src/store/publish/kept-briefs.ts';
import { apple, LATEST, publish, STATE, seedSymbols, show } from '../api/stock-corpus.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { openWorld, type World } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const AT = '2018-12-03T12:00:00.000Z';

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await seedSymbols(world.mongo.db);
  await show(world.mongo.db, 1, { [LATEST]: [apple(1_000n, 200n)] });
  const report = discoveredDoc('0000000001-18-001809' as Accession, '13F-HR');
  await filingsIn(world.mongo.db).insertOne({ ...report, cik: '0000000001' as Cik, state: 'parsed' });
}, 60_000);
afterAll(() => world?.close());
beforeEach(async () => {
  for (const name of ['briefs', 'current_briefs', 'corpus']) await db().collection(name).deleteMany({});
});

const db = () => world.mongo.db;

/** Publishes a corpus with other failures, of which the brief says the count. */
const fail = (thirteenF: number) => publish(db(), { quarantined: { ...STATE.quarantined, thirteenF } });
const build = async () => ({ ...buildWithEvidence(await loadBriefInput(db(), AAPL, AT)), evidence: [] });

async function shown(version: number): Promise<string> {
  return (await showBrief(db(), AAPL, { version, at: AT })).brief.briefId;
}

async function replacedBy(_id: string): Promise<string | undefined> {
  return (await briefsIn(db()).findOne({ _id }))?.superseded?.by;
}

test('a run that lost to another one with the same brief leaves why the earlier one was replaced (rule 8.10)', async () => {
  await fail(0);
  const first = await shown(1);
  await fail(1);
  const late = await build();
  const expected = await expectReplaced(db(), AAPL, late);
  const second = await shown(3);
  expect(second).toBe(late.brief.brief_id);
  if (expected !== null) await dropReplaced(db(), AAPL, expected);
  expect(await replacedBy(first)).toBe(second);
});

test('a run that lost to another brief leaves what replaced the earlier one (rule 8.10)', async () => {
  await fail(0);
  const first = await shown(1);
  await fail(1);
  const late = await build();
  const expected = await expectReplaced(db(), AAPL, late);
  await fail(2);
  const second = await shown(3);
  if (expected !== null) await dropReplaced(db(), AAPL, expected);
  expect(second).not.toBe(late.brief.brief_id);
  expect(await replacedBy(first)).toBe(second);
});

test('a brief that was shown while the next one was built is replaced by that one (rule 8.10)', async () => {
  await fail(0);
  const first = await shown(1);
  await fail(1);
  const second = await shown(2);
  await fail(2);
  const built = await build();
  const last = await shownBrief(db(), AAPL);
  if (last === null) throw new Error('none is shown');
  const expected = {
    from: first,
    superseded: { by: built.brief.brief_id, reason: 'day_or_coverage' },
  } as const;
  await noteReplaced(
    db(),
    { built, last },
    { ...expected, superseded: { ...expected.superseded, evidenceIds: [] }, correction: null },
  );
  expect(await replacedBy(first)).toBe(second);
  expect(await replacedBy(second)).toBe(built.brief.brief_id);
});
