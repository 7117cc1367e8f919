import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { countPending, invalidationsIn, listPending } from '../../src/store/invalidation/invalidation.ts';
import { pack } from '../../src/store/mongo/pack.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { openFolder } from './folder.ts';
import {
  AMC_NEW,
  AMC_OLD,
  APPLE,
  addQuarters,
  GM,
  heldIn,
  IN_THOUSANDS,
  JPM,
  JUNE,
  MANAGERS,
  SELLER,
  SEPTEMBER,
  SLIP,
  SYMBOLS,
} from './peers-quarter.ts';
import { openReader } from './reader.ts';
import { type Shown, shownIn } from './shown.ts';
import { settleReports } from './stages.ts';
import { cikOf } from './synthetic.ts';

const folder = opened(() => openFolder({ accessions: [], symbols: SYMBOLS }));
let flow: Flow;
let once: Shown;

beforeAll(async () => {
  await addQuarters(folder);
  flow = await openFlow(folder, '2023-11-30');
  await runPipeline(flow);
  once = await shownIn(flow.db);
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  await flow?.close();
});

type Row = {
  readonly cusip: string;
  readonly change_type: string;
  readonly shares: string;
  readonly value_cents: string;
  readonly quality: { readonly status: string; readonly reasons: string[] };
};

async function holdingsOf(manager: number) {
  const { body } = await reader.get(`/funds/${cikOf(manager)}/holdings?year=2023&quarter=3&limit=500`);
  const rows = body.data.holdings as Row[];
  return {
    filing: body.data.filing,
    rows,
    rowOf: (cusip: string) => rows.find((row) => row.cusip === cusip),
  };
}

const dollarsOf = (manager: number, except: readonly string[] = []): number =>
  heldIn(SEPTEMBER, manager)
    .filter(({ cusip }) => !except.includes(cusip))
    .reduce((sum, { shares, price }) => sum + shares * price, 0);

async function aumOf(manager: number): Promise<number> {
  const { body } = await reader.get(`/funds/${cikOf(manager)}`);
  return Number(body.data.aum_cents) / 100;
}

describe('a quarter of eight synthetic managers', () => {
  test('no manager added to or left what was split or has a new CUSIP (rules 4.5 and 4.8)', async () => {
    for (const manager of MANAGERS) {
      const { rows, rowOf } = await holdingsOf(manager);
      expect(rows.map(({ cusip }) => cusip).sort()).toEqual([AMC_NEW, APPLE, GM, JPM].sort());
      expect(rowOf(APPLE)).toMatchObject({
        change_type: 'HELD',
        share_delta: '0',
        pct_delta: 0,
        prior_shares: String((1_000 + manager) * 400),
        quality: { status: 'clear', reasons: expect.arrayContaining(['split_adjusted']) },
      });
      expect(rowOf(AMC_NEW)).toMatchObject({
        change_type: 'HELD',
        share_delta: '0',
        quality: { status: 'clear', reasons: expect.arrayContaining(['cusip_changed']) },
      });
      expect(rowOf(AMC_OLD)).toBeUndefined();
      expect(rowOf(JPM)?.change_type).toBe(manager === SELLER ? 'REDUCED' : 'HELD');
    }
  });

  test('thousands after 2023 are corrected by the prices of the other filers, with a reason (rule 4.3)', async () => {
    const { filing, rowOf } = await holdingsOf(IN_THOUSANDS);
    expect(filing.quality.reasons).toContain('value_unit_thousands_after_2023');
    const apple = heldIn(SEPTEMBER, IN_THOUSANDS)[0];
    const dollars = Math.round(((apple?.shares ?? 0) * (apple?.price ?? 0)) / 1_000) * 1_000;
    expect(rowOf(APPLE)?.value_cents).toBe(String(dollars * 100));
    expect(Math.abs((await aumOf(IN_THOUSANDS)) - dollarsOf(IN_THOUSANDS))).toBeLessThanOrEqual(2_000);
    const { body } = await reader.get(`/funds/${cikOf(IN_THOUSANDS)}`);
    const [filed] = body.data.filings;
    expect(filed.value_cents).toBe(body.data.aum_cents);
    expect(filed.quality.reasons).toEqual(['value_unit_thousands_after_2023']);
    for (const manager of [1, 2, 3]) expect(await aumOf(manager)).toBe(dollarsOf(manager));
  });

  test('an outlier value is kept, shown and left out of the total (rule 4.4)', async () => {
    const { rowOf } = await holdingsOf(SLIP);
    expect(rowOf(GM)?.quality.reasons).toContain('implied_price_outlier');
    expect(rowOf(GM)?.value_cents).toBe(String((30_000 + SLIP) * 33 * 100 * 100));
    expect(await aumOf(SLIP)).toBe(dollarsOf(SLIP, [GM]));
    expect((await holdingsOf(1)).rowOf(GM)?.quality.reasons).not.toContain('implied_price_outlier');
  });

  test('the briefs count all managers as unchanged and show the vote', async () => {
    for (const [ticker, reason] of [
      ['AAPL', 'split_adjusted'],
      ['AMC', 'cusip_changed'],
    ]) {
      const { body } = await reader.get(`/stocks/${ticker}/capital-change-brief`);
      const { institutional, quality_artifacts: artifacts } = body.data;
      expect(institutional.counts).toMatchObject({
        initiated: 0,
        added: 0,
        reduced: 0,
        exited: 0,
        unchanged: MANAGERS.length,
      });
      expect(institutional.stance).toBe('unchanged');
      const group = artifacts.groups.find((one: { reason: string }) => one.reason === reason);
      expect(group).toMatchObject({ observation_count: 8, suppresses_direction: false });
      expect(group.examples[0].detail).toMatch(/\b8 of 8\b/);
    }
  });

  test('the holders of a stock agree with the brief', async () => {
    const { body } = await reader.get('/stocks/AAPL');
    expect(body.data.totals.holders).toBe(MANAGERS.length);
    const kinds = new Set(body.data.owners.map((owner: { change_type: string }) => owner.change_type));
    expect([...kinds]).toEqual(['HELD']);
    const shares = MANAGERS.reduce((sum, manager) => sum + (1_000 + manager) * 400, 0);
    expect(body.data.totals.shares).toBe(String(shares));
  });
});

async function staged<T>(use: (context: JobContext) => Promise<T>): Promise<T> {
  const pipeline = await openStages(flow);
  try {
    return await use(pipeline.context);
  } finally {
    await pipeline.close();
  }
}

describe('the answers of the peers', () => {
  test('are a split, a new CUSIP, a corrected scale and a slip', () => {
    expect(Object.keys(once.peers)).toEqual([SEPTEMBER]);
    expect(once.peers[SEPTEMBER]?.corporateActions.map(({ kind }) => kind)).toEqual([
      'cusip_change',
      'split',
    ]);
    expect(Object.keys(once.peers[SEPTEMBER]?.verdicts ?? {})).toEqual(['0009000007', '0009000008']);
  });
});

describe('the rounds of reports and peers', () => {
  test('end, because no answer changes its own inputs: a second computation writes and invalidates nothing', async () => {
    const before = await peerVerdictsIn(flow.db).find().sort({ _id: 1 }).toArray();
    await invalidate(flow.db, 'peers', [JUNE, SEPTEMBER]);
    expect((await pipelineStatus(flow.db)).done).toBe(false);
    await staged(async (context) => {
      for (const { key, version } of await listPending(flow.db, 'peers', 10)) {
        await JOBS.peers(context, { quarterEnd: key as QuarterEnd, version: Number(version) });
      }
    });
    expect(await countPending(flow.db, 'report')).toBe(0);
    expect(await peerVerdictsIn(flow.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
    expect((await pipelineStatus(flow.db)).done).toBe(true);
  }, 60_000);
});

describe('a crash', () => {
  const rounds = (context: JobContext) => settleReports(context, (job, payload) => job(context, payload));

  test('before the followers were invalidated invalidates them again', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const { db } = flow;
    const reportOf = `000${cikOf(1)}|${SEPTEMBER}`;
    // The content was replaced; the invalidations and the digest of the inputs were not written.
    const pendingChanges = pack({
      ciks: [`000${cikOf(IN_THOUSANDS)}` as never],
      cusips: [APPLE as never],
      moved: [[APPLE as never, 'holders']],
    });
    await peerVerdictsIn(db).updateOne(
      { _id: SEPTEMBER as QuarterEnd },
      { $set: { inputsDigest: '', pendingChanges } },
    );
    await invalidate(db, 'peers', [SEPTEMBER]);
    await invalidationsIn(db).updateMany({ kind: 'report' }, { $set: { pending: false } });
    await staged(async (context) => {
      const [mark] = await listPending(db, 'peers', 10);
      await JOBS.peers(context, {
        quarterEnd: SEPTEMBER as QuarterEnd,
        version: Number(mark?.version),
      });
      const marked = (await listPending(db, 'report', 100)).map(({ key }) => key);
      expect(marked).toHaveLength(8);
      expect(marked).toContain(reportOf);
      await rounds(context);
    });
    await runPipeline(flow);
    expect(await shownIn(db)).toEqual(once);
  });

  test('after the invalidations and before the digest of the inputs costs one computation and changes nothing', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const { db } = flow;
    await peerVerdictsIn(db).updateMany({}, { $set: { inputsDigest: '' } });
    await invalidate(db, 'peers', [JUNE, SEPTEMBER]);
    await runPipeline(flow);
    expect(await shownIn(db)).toEqual(once);
    const docs = await peerVerdictsIn(db).find().toArray();
    expect(
      docs.every(({ inputsDigest, pendingChanges }) => inputsDigest !== '' && pendingChanges === null),
    ).toBe(true);
  });
});
