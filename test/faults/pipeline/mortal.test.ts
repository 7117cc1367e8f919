import type { Db } from 'mongodb';
import { afterAll, expect } from 'vitest';
import type { FaultPlan } from '../../../packages/local-edgar/faults.ts';
import type { PipelineStatus } from '../../../src/derive/corpus/status.ts';
import { checkEvents } from '../../../src/read/audit/events.ts';
import { filingsIn } from '../../../src/store/filing/filings.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../../flow/flow.ts';
import type { Folder } from '../../flow/folder.ts';
import { mortalWorkers, repeatedPolls } from '../../flow/mortal-workers.ts';
import { type Shown, shownIn } from '../../flow/shown.ts';
import { openChildren } from '../harness/child.ts';
import { longScenario, type Run } from '../harness/scenario.ts';
import { AS_OF, MANAGERS, openManyFilings } from './many-filings.ts';

const SHARES: FaultPlan['shares'] = {
  ...{ omitted_entry: 0.05, repeated_entry: 0.1, block_page: 0.02, too_many_requests: 0.03 },
  ...{ unavailable: 0.03, html_page: 0.02, reset: 0.03, wrong_length: 0.02, truncated_index: 0.02 },
};
const REQUESTS_PER_SECOND = 8;
const POLITE = {
  EDGAR_LOCAL_REQUESTS_PER_SECOND: String(REQUESTS_PER_SECOND),
  EDGAR_LOCAL_BLOCK_SECONDS: '0.5',
};
const SHORTEST_LIFE_MS = 2_000;
const LIVES_DIFFER_BY_MS = 3_000;
const MOVES = 8;
/** On a busy machine a worker takes a quarter of a minute to start, and what it leaves waits for its locks to expire. */
const LIMIT_MS = 3_000_000;
/** Those of a part of the filings too. */
const FAULTS_SHOWN = [
  'omitted_entry',
  'repeated_entry',
  'block_page',
  'too_many_requests',
  'unavailable',
  'reset',
];

const children = openChildren();
afterAll(() => children.killAll());

/** What a reader sees of the folder without any fault. */
async function undisturbedRun(folder: Folder): Promise<{ status: PipelineStatus; shown: Shown }> {
  const flow = await openFlow(folder, AS_OF);
  try {
    const status = await runPipeline(flow);
    return { status, shown: await shownIn(flow.db) };
  } finally {
    await flow.close();
  }
}

/** The same through workers that are killed, from an EDGAR that misbehaves. */
async function disturbedRun(flow: Flow, run: Run): Promise<PipelineStatus> {
  const pipeline = await openStages(flow);
  const workers = mortalWorkers(flow, {
    start: children.start,
    kills: Number.POSITIVE_INFINITY,
    lifeMs: () => SHORTEST_LIFE_MS + run.random(LIVES_DIFFER_BY_MS),
    moves: MOVES,
  });
  const pollNow = repeatedPolls(pipeline);
  const started = performance.now();
  try {
    const status = await dispatchToEnd(pipeline, {
      limitMs: LIMIT_MS,
      watch: async (progress) => {
        await pollNow();
        await workers.killWhenDue(progress);
      },
    });
    run.measured({ killed: workers.killed(), s: Math.round((performance.now() - started) / 1_000) });
    expect(workers.killed()).toBeGreaterThan(3);
    expect(await workers.end()).toBe(0);
    return status;
  } finally {
    await pipeline.close();
  }
}

longScenario(
  'T28',
  'after workers that were killed every few seconds while EDGAR misbehaved',
  async (run) => {
    const folder = await openManyFilings(run.count({ short: 1, long: MANAGERS }));
    const flow = await openFlow(folder, AS_OF, {
      faults: { seed: run.seed, shares: SHARES },
      settings: POLITE,
    });
    try {
      const { status, shown } = await undisturbedRun(folder);
      const { events, filings_13f, filings_form4, quarantined } = await disturbedRun(flow, run);
      const { faults, busiestSecond } = flow.edgar.requests();
      const filings = filings_13f + filings_form4;
      run.measured({ filings, faults: sum(faults), 'requests a second': busiestSecond });
      expect(await quarantinedIn(flow.db)).toEqual([]);
      expect(status).toMatchObject({ events, filings_13f, filings_form4, quarantined });
      expect(await shownIn(flow.db)).toEqual(shown);
      const check = await checkEvents(flow.db, 0, new Date());
      expect(check).toMatchObject({ events, pending: 0, problem_count: 0 });
      expect(Object.keys(faults)).toEqual(expect.arrayContaining(FAULTS_SHOWN));
      // The server's second may begin between two of the bucket's, and a few answers may be late.
      expect(busiestSecond).toBeLessThanOrEqual(REQUESTS_PER_SECOND * 1.5);
    } finally {
      await flow.close();
      await folder.close();
    }
  },
  { timeoutMs: 3_600_000 },
);

/** With their codes. The folder has none that cannot be read. */
const quarantinedIn = async (db: Db): Promise<string[]> =>
  (await filingsIn(db).find({ state: 'quarantined' }).toArray()).map(
    ({ _id, tries, quarantine }) => `${_id} ${quarantine?.code} ${tries}`,
  );

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);
