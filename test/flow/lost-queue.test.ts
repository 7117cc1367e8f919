import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkers } from '../../jobs/worker/run.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { type Shown, shownIn, streamOf } from './shown.ts';

const ACCESSIONS = [
  ...['0000950123-17-010896', '0000950123-18-002390', '0000950123-18-005732'],
  ...['0000950123-18-008866', '0000950123-18-011885'],
  ...['0001079114-18-000001', '0001079114-18-000008', '0001079114-18-000009', '0001079114-18-000013'],
  ...['0001494730-18-000005', '0001494727-18-000003', '0001127602-18-024167'],
];

let folder: Folder;
let undisturbed: Shown;

beforeAll(async () => {
  folder = await openFolder({ accessions: ACCESSIONS, symbols: ['AAPL', 'GM', 'TSLA', 'FB'] });
  const flow = await openFlow(folder, '2018-11-30');
  await runPipeline(flow);
  undisturbed = await shownIn(flow.db);
  await flow.close();
}, 300_000);

afterAll(() => folder?.remove());

/** Every key of this world's queues: waiting, running, delayed and failed jobs alike. */
async function loseQueue({ world }: Flow, redis: Redis): Promise<number> {
  const keys = await redis.keys(`{${world.config.queuePrefix}}:*`);
  return keys.length === 0 ? 0 : redis.del(...keys);
}

test('a queue that is lost at every stage costs time and no data', async () => {
  const flow = await openFlow(folder, '2018-11-30');
  const pipeline = await openStages(flow);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  // Before anything is known, before the filings are read, and after some of them are.
  const losses = [0, 1, 4, 8].map((parsed) => ({ parsed, keys: 0 }));
  try {
    const status = await dispatchToEnd(pipeline, {
      watch: async ({ discovered, parsed }) => {
        const next = losses.find(({ keys }) => keys === 0);
        if (next === undefined || parsed < next.parsed || (next.parsed > 0 && discovered === 0)) return;
        next.keys = await loseQueue(flow, pipeline.redis);
      },
    });
    // The last two may come too late where all is parsed between two looks.
    expect(losses.slice(0, 2).every(({ keys }) => keys > 0)).toBe(true);
    expect(status).toMatchObject({ filings_13f: 9, filings_form4: 3, quarantined: 0, events: 3 });
    expect(await shownIn(flow.db)).toEqual(undisturbed);
    expect((await streamOf(flow.db)).map(([seq]) => seq)).toEqual([1, 2, 3]);
  } finally {
    await workers.close();
    await pipeline.close();
    await flow.close();
  }
}, 300_000);
