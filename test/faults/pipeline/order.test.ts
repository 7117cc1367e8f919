import { expect } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { dispatchToEnd, openFlow, openStages } from '../../flow/flow.ts';
import { type Shown, shownIn } from '../../flow/shown.ts';
import { AS_OF, ORDER, openSmallCorpus } from '../../flow/small-corpus.ts';
import { type Arrival, ingestInOrder } from '../../flow/stages.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { shuffled } from '../harness/seed.ts';

const DAY_MS = 86_400_000;

const folder = opened(openSmallCorpus);

async function shownAfter(arrival: Arrival): Promise<Shown> {
  const flow = await openFlow(folder, AS_OF);
  try {
    await ingestInOrder(flow, arrival);
    return await shownIn(flow.db);
  } finally {
    await flow.close();
  }
}

/** The same, by workers whose clock is wrong by so many days. */
async function shownByClock(days: number): Promise<Shown> {
  const flow = await openFlow(folder, AS_OF);
  const pipeline = await openStages(flow);
  const now = (): Date => new Date(Date.now() + days * DAY_MS);
  const workers = startWorkers({ ...pipeline.context, now }, pipeline.redis);
  try {
    await dispatchToEnd(pipeline);
    return await shownIn(flow.db);
  } finally {
    await workers.close();
    await pipeline.close();
    await flow.close();
  }
}

longScenario(
  'T23',
  'originals and amendments in any order give equal briefs',
  async (run) => {
    const inOrder = await shownAfter({ accessions: ORDER, reference: 'first', settleEvery: ORDER.length });
    const shuffles = run.count({ short: 0, long: 20 });
    for (let n = 0; n < shuffles; n += 1) {
      const accessions = shuffled(ORDER, run.random);
      const reference = run.random(2) === 0 ? 'first' : 'last';
      const shown = await shownAfter({ accessions, reference, settleEvery: 1 + run.random(ORDER.length) });
      expect(shown, accessions.join(' ')).toEqual(inOrder);
    }
    run.measured({ shuffles });
  },
  { seeds: { short: 1, long: 10 }, timeoutMs: 3_600_000 },
);

longScenario('T14', 'workers whose clock is a day off make the same briefs', async (run) => {
  const right = await shownByClock(0);
  for (const days of [1, -1]) expect(await shownByClock(days)).toEqual(right);
  run.measured({ 'days off': '1 and -1', briefs: Object.keys(right.briefs).length });
});
