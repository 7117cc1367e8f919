import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorkers } from '../../jobs/worker/run.ts';
import type { FaultPlan } from '../../packages/local-edgar/faults.ts';
import type { PipelineStatus } from '../../src/derive/corpus/status.ts';
import { openChildren } from '../faults/harness/child.ts';
import { opened } from '../opened.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { loseQueue } from './lose-queue.ts';
import { mortalWorkers, repeatedPolls } from './mortal-workers.ts';
import { type Shown, shownIn, streamOf } from './shown.ts';
import { AS_OF, FORM4, openSmallCorpus } from './small-corpus.ts';

const folder = opened(openSmallCorpus);
let undisturbed: Shown;
const children = openChildren();

/**
 * With this seed the paths of the small corpus meet every one of these faults, and few of them in the listings:
 * each failure there costs the backfill a longer wait.
 */
const FAULTS: FaultPlan = {
  seed: 37284,
  shares: {
    ...{ omitted_entry: 0.05, repeated_entry: 0.1, block_page: 0.04, too_many_requests: 0.04 },
    ...{ unavailable: 0.05, html_page: 0.04, reset: 0.05, wrong_length: 0.04, truncated_index: 0.1 },
  },
  timesPerPath: 1,
};
const POLITE = { EDGAR_LOCAL_REQUESTS_PER_SECOND: '4', EDGAR_LOCAL_BLOCK_SECONDS: '0.5' };
const LIFE_MS = 2_000;
/** Each leaves jobs that wait for their locks to expire. */
const KILLS = 2;

beforeAll(async () => {
  const flow = await openFlow(folder, AS_OF);
  await runPipeline(flow);
  undisturbed = await shownIn(flow.db);
  await flow.close();
}, 300_000);

afterAll(async () => {
  children.killAll();
});

async function expectUndisturbed({ db }: Flow, status: PipelineStatus): Promise<void> {
  expect(status).toMatchObject({ filings_13f: 7, filings_form4: 3, quarantined: 0, events: 3 });
  expect(await shownIn(db)).toEqual(undisturbed);
  const stream = await streamOf(db);
  expect(stream.map(([seq]) => seq)).toEqual([1, 2, 3]);
  expect(stream.map(([, accession]) => accession).sort()).toEqual([...FORM4].sort());
}

/** Every fault of the plan was shown, and no second had more requests than the bucket allows. */
function expectPolite({ edgar }: Flow): void {
  const { faults, busiestSecond, byKind } = edgar.requests();
  expect(Object.keys(faults)).toEqual(expect.arrayContaining(Object.keys(FAULTS.shares)));
  expect(byKind.feed).toBeGreaterThan(2);
  // The server's second may begin between two of the bucket's, and a few answers may be late.
  expect(busiestSecond).toBeLessThanOrEqual(Number(POLITE.EDGAR_LOCAL_REQUESTS_PER_SECOND) * 1.5);
}

// Side by side: the jobs of a killed worker wait up to half a minute for their locks to expire.
describe.concurrent('the same result in the end', () => {
  test('workers that are killed every few seconds while EDGAR misbehaves', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const flow = await openFlow(folder, AS_OF, { faults: FAULTS, settings: POLITE });
    const pipeline = await openStages(flow);
    const workers = mortalWorkers(flow, { start: children.start, kills: KILLS, lifeMs: () => LIFE_MS });
    const pollNow = repeatedPolls(pipeline);
    try {
      const status = await dispatchToEnd(pipeline, {
        watch: async (progress) => {
          await pollNow();
          await workers.killWhenDue(progress);
        },
      });
      expect(workers.killed()).toBeGreaterThan(1);
      await expectUndisturbed(flow, status);
      expectPolite(flow);
      expect(await workers.end()).toBe(0);
    } finally {
      await pipeline.close();
      await flow.close();
    }
  });

  test('a queue that is lost at every stage costs time and no data', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const flow = await openFlow(folder, AS_OF);
    const pipeline = await openStages(flow);
    const workers = startWorkers(pipeline.context, pipeline.redis);
    // Before anything is discovered, before the filings are parsed, and after some of them are.
    const losses = [0, 1, 4, 8].map((parsed) => ({ parsed, keys: 0 }));
    try {
      const status = await dispatchToEnd(pipeline, {
        watch: async ({ discovered, parsed }) => {
          const next = losses.find(({ keys }) => keys === 0);
          if (next === undefined || parsed < next.parsed || (next.parsed > 0 && discovered === 0)) return;
          next.keys = await loseQueue(flow, pipeline.redis);
        },
      });
      // The last two may be too late: all filings may be parsed between two ticks.
      expect(losses.slice(0, 2).every(({ keys }) => keys > 0)).toBe(true);
      await expectUndisturbed(flow, status);
    } finally {
      await workers.close();
      await pipeline.close();
      await flow.close();
    }
  });
});
