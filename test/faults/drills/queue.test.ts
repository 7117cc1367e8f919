import { afterAll, beforeAll, expect } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { dispatchToEnd, type Flow, openFlow, openStages } from '../../flow/flow.ts';
import type { Folder } from '../../flow/folder.ts';
import { loseQueue } from '../../flow/lose-queue.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step, told } from './operator.ts';

let folder: Folder;
let flow: Flow;
beforeAll(async () => {
  folder = await openSmallCorpus();
  flow = await openFlow(folder, AS_OF);
});
afterAll(async () => {
  await flow?.close();
  await folder?.remove();
});

longScenario('T02', 'drill: a lost queue', async () => {
  const pipeline = await openStages(flow);
  const workers = startWorkers(pipeline.context, pipeline.redis);
  let keys = 0;
  const status = await dispatchToEnd(pipeline, {
    watch: async ({ parsed }) => {
      if (keys > 0 || parsed < 3) return;
      keys = await loseQueue(flow, pipeline.redis);
      step('The Redis of the queues lost all that it had, in the middle of an ingest');
      told(`(${keys} keys of the queues are gone)`);
      await operator(flow.world, 'status');
      step('Do nothing: MongoDB knows what is pending, and dispatch enqueues it within seconds');
    },
  });
  await workers.close();
  await pipeline.close();
  expect(keys).toBeGreaterThan(0);
  expect(status).toMatchObject({ filings_13f: 7, filings_form4: 3, quarantined: 0, events: FORM4.length });
  await operator(flow.world, 'status');
  expect(await operator(flow.world, 'events', 'check')).toMatchObject({ code: 0 });
});
