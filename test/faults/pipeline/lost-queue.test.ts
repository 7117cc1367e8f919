import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { checkEvents } from '../../../src/read/audit/events.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../../flow/flow.ts';
import type { Folder } from '../../flow/folder.ts';
import { loseQueue } from '../../flow/lose-queue.ts';
import { type Shown, shownIn } from '../../flow/shown.ts';
import { openChildren } from '../harness/child.ts';
import { openOwnServer } from '../harness/own-server.ts';
import { IS_LONG, longScenario } from '../harness/scenario.ts';
import { AS_OF, MIN_FILINGS, openManyFilings } from './many-filings.ts';

const FULL_MS = 20_000;

let folder: Folder;
let undisturbed: Shown;
let filings = 0;
const children = openChildren();

/** The flow in the end, and what a reader sees of it. */
async function expectUndisturbed({ db }: Flow): Promise<void> {
  expect(await shownIn(db)).toEqual(undisturbed);
  expect(await checkEvents(db, 0, new Date())).toMatchObject({ pending: 0, problem_count: 0 });
}

beforeAll(async () => {
  if (!IS_LONG) return;
  folder = await openManyFilings();
  const flow = await openFlow(folder, AS_OF);
  const status = await runPipeline(flow);
  filings = status.filings_13f + status.filings_form4;
  undisturbed = await shownIn(flow.db);
  await flow.close();
}, 600_000);
afterAll(async () => {
  children.killAll();
  await folder?.close();
});

longScenario('T02', 'after a queue that was lost again and again', async (run) => {
  const flow = await openFlow(folder, AS_OF);
  const pipeline = await openStages(flow);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  const every = 5 + run.random(10);
  let [losses, keys, due] = [0, 0, 0];
  await dispatchToEnd(pipeline, {
    watch: async ({ parsed }) => {
      if (parsed < due) return;
      keys += await loseQueue(flow, pipeline.redis);
      losses += 1;
      due = parsed + every;
    },
  });
  await workers.close();
  await pipeline.close();
  await expectUndisturbed(flow);
  await flow.close();
  run.measured({ filings, losses, 'keys lost': keys });
  expect(losses).toBeGreaterThan(3);
  expect(filings).toBeGreaterThanOrEqual(MIN_FILINGS);
});

longScenario('T16', 'after a Redis of the queues that was full for a while', async (run) => {
  const server = await openOwnServer('credits');
  const flow = await openFlow(folder, AS_OF, { settings: { QUEUE_REDIS_URL: server.url } });
  const pipeline = await openStages(flow);
  const worker = children.start(['work'], flow.world.env);
  await worker.until('is running');
  let isFilled = false;
  await dispatchToEnd(pipeline, {
    // Nothing is enqueued from here meanwhile.
    watch: async ({ parsed }) => {
      if (isFilled || parsed < 10) return;
      isFilled = true;
      await pipeline.redis.config('SET', 'maxmemory', '1');
      await sleep(FULL_MS);
      await pipeline.redis.config('SET', 'maxmemory', '0');
    },
  });
  expect([isFilled, worker.hasEnded()]).toEqual([true, false]);
  await expectUndisturbed(flow);
  run.measured({ 'full for s': FULL_MS / 1_000 });
  worker.signal('SIGTERM');
  expect(await worker.ended()).toBe(0);
  await pipeline.close();
  await flow.close();
  await server.close();
});
