import { expect } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { dispatchToEnd, openFlow, openStages } from '../../flow/flow.ts';
import { loseQueue } from '../../flow/lose-queue.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step, told } from './operator.ts';

const folder = opened(openSmallCorpus);
const flow = opened(() => openFlow(folder, AS_OF));

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
