// @module-tag long

import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Accession } from '../../../src/domain/ids.ts';
import { checkEvents } from '../../../src/read/audit/events.ts';
import { filingsIn } from '../../../src/store/filing/filings.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../../flow/flow.ts';
import { openFolder } from '../../flow/folder.ts';
import { expireLocks } from '../../flow/lose-queue.ts';
import { type Shown, shownIn } from '../../flow/shown.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { opened } from '../../opened.ts';
import { type Child, openChildren } from '../harness/child.ts';
import { type FaultPoint, faultEnv } from '../harness/fault-point.ts';
import { IS_LONG, longScenario, type Run, scenario } from '../harness/scenario.ts';

const WORKER = new URL('./worker.ts', import.meta.url);

/** One or two writes of each stage, in the order in which a filing meets them. */
const POINTS = [
  ...['filings.insertMany', 'index_days.bulkWrite', 'raw_parts.insertMany', 'raw.insertMany'],
  ...['filings.findOneAndUpdate', 'filing_rows.insertMany', 'filings.updateOne', 'invalidations.insertMany'],
  ...['events.insertMany', 'filings.bulkWrite', 'positions.insertMany', 'reports.replaceOne'],
  ...['peers.replaceOne', 'trades.insertMany', 'corpus.insertMany', 'briefs.insertMany'],
  ...['current_briefs.findOneAndUpdate', 'search_parts.replaceOne', 'leaderboard.replaceOne'],
].flatMap((command) => [`${command}:before`, `${command}:after`]);

const folder = opened(openSmallCorpus);
let undisturbed: Shown;
const children = openChildren();

beforeAll(async () => {
  const flow = await openFlow(folder, AS_OF);
  await runPipeline(flow);
  undisturbed = await shownIn(flow.db);
  await flow.close();
}, 300_000);
afterAll(async () => {
  children.killAll();
});

const startWorker = ({ world }: Flow, point: FaultPoint | null): Child =>
  children.startProgram(WORKER, { ...world.env, ...faultEnv(point) });

/** Runs the small corpus through one worker after another, each with the next fault point, then through a whole one. */
async function runThrough(flow: Flow, points: readonly FaultPoint[]): Promise<Child[]> {
  const pipeline = await openStages(flow);
  const left = [...points];
  const workers = [startWorker(flow, left.shift() ?? null)];
  try {
    await dispatchToEnd(pipeline, {
      watch: async () => {
        if (workers.at(-1)?.hasEnded() !== true) return;
        // A long run waits for them as a market does.
        if (!IS_LONG) await expireLocks(flow, pipeline.redis);
        workers.push(startWorker(flow, left.shift() ?? null));
      },
    });
    return workers;
  } finally {
    workers.at(-1)?.signal('SIGKILL');
    await pipeline.close();
  }
}

async function expectUndisturbed({ db }: Flow): Promise<void> {
  expect(await shownIn(db)).toEqual(undisturbed);
  const check = await checkEvents(db, 0, new Date());
  expect(check).toMatchObject({ events: FORM4.length, pending: 0, problem_count: 0 });
}

/** An early and a late point, so that the second worker comes to its own; seeds in a row come to every point. */
function pointsOf({ seed, random }: Run): FaultPoint[] {
  const half = POINTS.length / 2;
  return [seed % half, half + (seed % half)].map((at) => ({
    at: POINTS[at] ?? '',
    nth: 1 + random(2),
    signal: 'SIGKILL' as const,
  }));
}

/** Where the workers of all seeds died. */
const STRUCK = new Set<string>();

// Side by side: in a long run the jobs of a killed or stopped worker wait for their locks to expire.
describe.concurrent('the same data as without a fault', () => {
  scenario(
    'T01',
    'after workers that died at a named point',
    async (run) => {
      const flow = await openFlow(folder, AS_OF);
      try {
        const started = performance.now();
        const workers = await runThrough(flow, pointsOf(run));
        await expectUndisturbed(flow);
        const struck = workers.flatMap((worker) => /struck at (\S+)/.exec(worker.said())?.[1] ?? []);
        const seconds = Math.round((performance.now() - started) / 1_000);
        expect(struck.length).toBeGreaterThan(0);
        for (const at of struck) STRUCK.add(at);
        run.measured({ 'killed at': struck.join(' '), s: seconds, 'points of all seeds': STRUCK.size });
      } finally {
        await flow.close();
      }
    },
    { seeds: { short: 1, long: 50 } },
  );

  longScenario(
    'T10',
    'after a worker that was stopped while it parsed, until another had done its work',
    async (run) => {
      const flow = await openFlow(folder, AS_OF);
      const pipeline = await openStages(flow);
      const zombie = startWorker(flow, { at: 'filing_rows.insertMany:after', nth: 1, signal: 'SIGSTOP' });
      const others: Child[] = [];
      try {
        await dispatchToEnd(pipeline, {
          watch: async () => {
            const isStopped = zombie.said().includes('struck');
            if (isStopped && others.length === 0) others.push(startWorker(flow, null));
          },
        });
        const before = await filingsIn(flow.db).find().sort({ _id: 1 }).toArray();
        zombie.signal('SIGCONT');
        // It ends when its jobs have.
        zombie.signal('SIGTERM');
        await zombie.ended();
        expect(await filingsIn(flow.db).find().sort({ _id: 1 }).toArray()).toEqual(before);
        await expectUndisturbed(flow);
        run.measured({ fences: Math.max(...before.map(({ fence }) => Number(fence))) });
      } finally {
        for (const worker of [zombie, ...others]) worker.signal('SIGKILL');
        await pipeline.close();
        await flow.close();
      }
    },
  );
});

longScenario(
  'T11',
  'a filing on which every worker dies is quarantined, and the queue goes on',
  async (run) => {
    const poison = '0000950123-18-011885';
    const own = await openFolder({ accessions: [poison, ...FORM4], symbols: ['TSLA'] });
    const flow = await openFlow(own, AS_OF);
    try {
      const point: FaultPoint = { at: 'filing_rows.insertMany:before', nth: 1, signal: 'SIGKILL' };
      const workers = await runThrough(flow, Array<FaultPoint>(10).fill(point));
      const filing = await filingsIn(flow.db).findOne({ _id: poison as Accession });
      expect(filing).toMatchObject({ state: 'quarantined', quarantine: { code: 'crash_loop' } });
      const check = await checkEvents(flow.db, 0, new Date());
      expect(check).toMatchObject({ events: FORM4.length, pending: 0, problem_count: 0 });
      run.measured({ 'workers killed': workers.length - 1 });
      expect(workers).toHaveLength(4);
    } finally {
      await flow.close();
      await own.close();
    }
  },
);
