import { type Db, MongoClient } from 'mongodb';
import { beforeEach, describe, expect, test } from 'vitest';
import { inTime } from '../../src/api/metering/with-deadline.ts';
import type { FilingWindow } from '../../src/domain/calendar.ts';
import { APPLE, GOOGL, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import { LATER_CUSIP, type QuarterLine } from '../../src/domain/history/quarter-line.ts';
import { holderList } from '../../src/domain/holders/holders.ts';
import type { Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import type { CorporateAction } from '../../src/domain/peers/verdict.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { holdersInQuarter } from '../../src/read/holders/observations.ts';
import { positionHistory } from '../../src/read/holders/position-history.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { partOfSecurity } from '../../src/store/publish/search-index.ts';
import { noteHeld } from '../../src/store/report/holdings.ts';
import { positions } from '../../src/store/report/positions.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { apple, cik, EARLIER, google, LATEST, PRIOR, STATE, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { peersDoc } from './peers-doc.ts';

const AS_OF = '2018-11-30' as IsoDate;
const VOTE = { votes: 5, compared: 6 };
const SPLIT: CorporateAction = {
  ...{ ...VOTE, kind: 'split', cusip: APPLE },
  factor: { numerator: 10n, denominator: 1n },
};
/** Ten shares of GOOGL became one of APPLE: what the names stand for does not matter. */
const RENAMED: CorporateAction = {
  ...{ ...VOTE, kind: 'cusip_change', cusip: APPLE, from: GOOGL },
  factor: { numerator: 1n, denominator: 10n },
};

const world = opened(openWorld, beforeEach);
let db: Db;
beforeEach(async () => {
  db = world.mongo.db;
  await ensureIndexes(db);
});

const say = (quarterEnd: QuarterEnd, ...actions: CorporateAction[]) =>
  peerVerdictsIn(db).insertOne(peersDoc(quarterEnd, actions));

const old = (amount: bigint) => sampleRow({ row: 5, cusip: GOOGL, amount, value: 1_000n });

const AAPL = { ticker: 'AAPL' as Ticker, cusip: APPLE, asOf: '2026-01-15' as IsoDate };

function history(
  rest: { quarters?: number; cik?: Cik; filingWindow?: FilingWindow } = {},
): Promise<QuarterLine[]> {
  const { quarters = 8, cik: manager = null, filingWindow = 'closed' } = rest;
  const corpus = { asOf: AS_OF, state: { ...STATE, filingWindow } };
  return positionHistory(db, { ...AAPL, corpus, quarters, cik: manager });
}

async function seedThreeQuarters(): Promise<void> {
  await show(db, 1, {
    [EARLIER]: [apple(700n, 1_400n)],
    [PRIOR]: [apple(1_000n, 2_000n)],
    [LATEST]: [apple(10_000n, 2_000n)],
  });
  await show(db, 2, { [PRIOR]: [apple(501n, 1_000n)], [LATEST]: [google()] });
}

test('a quarter in which only another CUSIP of the issuer was held is no none (rule 7.3)', async () => {
  const former = '037833209' as Cusip;
  await noteHeld(db, [former, APPLE]);
  const under = sampleRow({ row: 1, cusip: former, amount: 700n, value: 1_400n });
  await show(db, 1, { [EARLIER]: [under], [LATEST]: [apple(70n, 1_400n)] });
  await show(db, 2, { [EARLIER]: [google()] });
  const [latest, prior, earlier] = await history();
  expect(latest).toMatchObject({ holders: 1, coverage_status: 'covered' });
  expect(prior).toMatchObject({ holders: 0, coverage_status: 'not_covered', stance: 'not_determined' });
  expect(earlier).toMatchObject({ holders: 0, coverage_status: 'partial', stance: 'not_determined' });
  expect(earlier?.limitations[0]).toContain(`1 manager held the same issuer by ${former}`);
  const ofOther = async () => (await history({ cik: cik(2) }))[2];
  expect(await ofOther()).toMatchObject({ coverage_status: 'partial', limitations: [LATER_CUSIP] });
  await saveMappings(db, [fails('AAPL', APPLE, { on: '2017-12-29' })]);
  expect(await ofOther()).toMatchObject({ holders: 0, coverage_status: 'covered', stance: 'none_found' });
});

test.each([
  ['months after the quarter', '2018-08-30'],
  ['in the quarter, as one that its holders do not report yet', '2018-03-20'],
])(
  'a holding company with other digits, quarters missing between, its CUSIP first shown %s: no none (rule 7.3)',
  async (_, on) => {
    await saveMappings(db, [fails('AAPL', APPLE, { on })]);
    const former = sampleRow({ row: 1, cusip: '76150R108' as Cusip, amount: 1_000n, value: 3_000n });
    for (const n of [1, 2, 3]) await show(db, n, { [EARLIER]: [former], [LATEST]: [apple(100n, 3_000n)] });
    const missed = { holders: 0, coverage_status: 'partial', stance: 'not_determined' };
    for (const lines of [await history(), await history({ cik: cik(1) })])
      expect(lines[2]).toMatchObject({ ...missed, limitations: [LATER_CUSIP] });
  },
);

test('a CUSIP first shown after the latest quarter, which nobody reports yet, is no none (rule 7.3)', async () => {
  await saveMappings(db, [fails('AAPL', APPLE, { on: '2018-10-09' })]);
  await show(db, 1, { [LATEST]: [google()] });
  const [latest] = await history();
  expect(latest).toMatchObject({ coverage_status: 'partial', limitations: [LATER_CUSIP] });
  expect(latest?.stance).toBe('not_determined');
});

describe('a position history', () => {
  test('is what each quarter says of itself, with shares in those of today (rule 7.7)', async () => {
    await say(LATEST, SPLIT);
    await seedThreeQuarters();
    const [latest, prior, earlier, ...more] = await history();
    expect(more).toEqual([]);
    expect(latest).toMatchObject({
      quarter_end: LATEST,
      holders: 1,
      shares: '10000',
      value_cents: '200000000',
    });
    expect(prior).toMatchObject({ quarter_end: PRIOR, holders: 2, shares: '15010', net_share_delta: '3000' });
    expect(prior?.limitations).toContain(
      'Shares are restated 10 for 1, for splits and new CUSIPs since then.',
    );
    expect(earlier).toMatchObject({ quarter_end: EARLIER, shares: '7000', stance: 'not_determined' });
    for (const line of [latest, prior, earlier]) {
      if (line === undefined) throw new Error('three quarters were reported');
      const { quarter_end: quarterEnd } = line;
      const own = holderList(await holdersInQuarter(db, APPLE, { quarterEnd, latest: LATEST }), quarterEnd);
      expect({ ...line.counts, stale: 0 }).toEqual(own.counts);
      expect([line.holders, line.value_cents]).toEqual([own.totals.holders, String(own.totals.valueCents)]);
    }
  });

  test('says where a split since then is only suspected (rule 7.7)', async () => {
    const factor = { numerator: 20n, denominator: 1n };
    await say(LATEST, { ...VOTE, kind: 'split_suspected', cusip: APPLE, factor });
    await seedThreeQuarters();
    const [latest, prior] = await history();
    const words = 'A split of about 20 for 1 since then is only suspected: shares may be those of before it.';
    expect(latest?.limitations).not.toContain(words);
    expect(prior).toMatchObject({ shares: '1501', limitations: expect.arrayContaining([words]) });
  });

  test('follows a security to the CUSIP that it had', async () => {
    await say(LATEST, RENAMED);
    await show(db, 1, { [PRIOR]: [old(5_000n)], [LATEST]: [apple(500n, 1_000n)] });
    expect(await history()).toMatchObject([
      { quarter_end: LATEST, shares: '500', limitations: [] },
      { quarter_end: PRIOR, shares: '500', counts: { baseline_only: 1 } },
    ]);
  });

  test('of one manager adds up to that of all, and says where it has no report', async () => {
    await say(LATEST, SPLIT);
    await seedThreeQuarters();
    const all = await history();
    const [first, second] = [await history({ cik: cik(1) }), await history({ cik: cik(2) })];
    for (const [at, line] of all.entries()) {
      const own = [first[at], second[at]].map((one) => BigInt(one?.shares ?? 0));
      expect(own.reduce((sum, shares) => sum + shares)).toBe(BigInt(line.shares));
    }
    expect(second).toMatchObject([
      { holders: 0, counts: { exited: 1 } },
      { holders: 1, shares: '5010' },
      { holders: 0, limitations: ['The manager has no report for this quarter.'] },
    ]);
  });

  test('names the open filing window, and a quarter without reports', async () => {
    await show(db, 1, { [EARLIER]: [apple(700n, 1_400n)], [LATEST]: [apple(700n, 1_400n)] });
    const lines = await history({ quarters: 12, filingWindow: 'open' });
    expect(lines.map(({ limitations }) => limitations[0])).toEqual([
      'The filing window is open through 2018-11-14. Managers that have not reported yet are not counted.',
      'No 13F report for this quarter is stored.',
      '1 manager has no comparable report for the quarter before, so what it changed is not known.',
    ]);
  });
});

test('a line without the report of a manager that held the stock says so', async () => {
  await show(db, 1, { [PRIOR]: [apple(700n, 1_400n)], [LATEST]: [apple(700n, 1_400n)] });
  await show(db, 2, { [PRIOR]: [apple(501n, 1_000n)] });
  const [latest, prior] = await history();
  const words =
    '1 manager that held the security has no stored report for 2018-09-30. Its last report, for 2018-06-30, is not counted.';
  expect(latest?.limitations).toEqual([words]);
  expect(prior?.limitations).not.toContain(words);
});

describe('a settled quarter', () => {
  const noted = (quarterEnd: QuarterEnd) => `${partOfSecurity(APPLE)}|${quarterEnd}`;
  const lose = () => positions.collection(db).deleteMany({});

  test('is read once, and again after a report of it changed', async () => {
    await seedThreeQuarters();
    await invalidate(db, 'holders', [LATEST, PRIOR, EARLIER].map(noted));
    const first = await history();
    await lose();
    // As text: a call under an Idempotency-Key is free again only while its answer is the same (rule 12.3).
    expect(JSON.stringify(await history())).toBe(JSON.stringify(first));
    await invalidate(db, 'holders', [noted(PRIOR)]);
    const [latest, prior, earlier] = await history();
    expect([latest, earlier]).toEqual([first[0], first[2]]);
    expect(prior?.holders).toBe(0);
  });

  test('is read once by calls that come together, and goes on after one of them gave up', async () => {
    const client = new MongoClient(world.env['MONGO_URL'] ?? '', {
      monitorCommands: true,
      useBigInt64: true,
    });
    try {
      let kept = 0;
      client.on('commandStarted', ({ commandName, command }) => {
        if (commandName === 'update' && command['update'] === 'quarter_lines') kept += 1;
      });
      await seedThreeQuarters();
      await invalidate(db, 'holders', [LATEST, PRIOR, EARLIER].map(noted));
      const query = { ...AAPL, corpus: { asOf: AS_OF, state: STATE }, quarters: 8, cik: null };
      const watched = client.db(world.config.mongoDb);
      const late = inTime(positionHistory(watched, query), 1);
      const calls = Promise.all([1, 2, 3].map(() => positionHistory(watched, query)));
      await expect(late).rejects.toMatchObject({ code: 'deadline' });
      const [first, ...others] = await calls;
      for (const other of others) expect(other).toEqual(first);
      expect(first?.map(({ holders }) => holders)).toEqual([1, 2, 1]);
      expect(kept).toBe(3);
    } finally {
      await client.close();
    }
  });

  test('is computed again for a later split, and never kept while its window is open', async () => {
    await seedThreeQuarters();
    await invalidate(db, 'holders', [LATEST, PRIOR, EARLIER].map(noted));
    const [open] = await history({ filingWindow: 'open' });
    expect((await history())[1]?.shares).toBe('1501');
    await say(LATEST, SPLIT);
    expect((await history())[1]?.shares).toBe('15010');
    await lose();
    expect((await history({ filingWindow: 'open' }))[0]).not.toEqual(open);
  });
});
