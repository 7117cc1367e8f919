import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Pipeline } from '../../jobs/worker/open.ts';
import { QUEUES } from '../../queues/index.ts';
import type { PipelineProgress } from '../../src/derive/corpus/progress.ts';
import type { Child } from '../faults/harness/child.ts';
import type { Flow } from './flow.ts';

type Mortality = {
  /** Starts the operator's command in a process of its own. */
  readonly start: (args: readonly string[], env: Record<string, string>) => Child;
  /** So many are killed; the next one lives to the end. */
  readonly kills: number;
  /** How long a worker lives after the first thing that it did. */
  readonly lifeMs: () => number;
  /** How often the progress has to move before: on a busy machine none would live to do anything. */
  readonly moves?: number;
};

/** A worker that is alive. */
type Life = { readonly worker: Child; found: PipelineProgress | null; moves: number; until: number };

/** One worker after another: each is killed some seconds after the first thing that it did. */
export function mortalWorkers({ world }: Flow, { start, kills, lifeMs, moves = 1 }: Mortality) {
  const born = (): Life => ({
    ...{ worker: start(['work'], world.env), found: null, moves: 0, until: Number.POSITIVE_INFINITY },
  });
  let killed = 0;
  let life = born();
  return {
    async killWhenDue(progress: PipelineProgress): Promise<void> {
      if (life.found !== null && !isDeepStrictEqual(progress, life.found)) {
        life.moves += 1;
        if (life.moves === 1) life.until = Date.now() + lifeMs();
      }
      life.found = progress;
      if (killed === kills || progress.done || life.moves < moves || Date.now() < life.until) return;
      expect(life.worker.hasEnded()).toBe(false);
      life.worker.signal('SIGKILL');
      await life.worker.ended();
      killed += 1;
      life = born();
    },
    killed: () => killed,
    /** Ends the last one as an operator does; returns its exit code. */
    end(): Promise<number | null> {
      life.worker.signal('SIGTERM');
      return life.worker.ended();
    },
  };
}

const POLL_EVERY_MS = 3_000;

/** Polls the feed whenever it is called, and the last time is some seconds ago. */
export function repeatedPolls({ context }: Pipeline) {
  let polledAt = 0;
  return async (): Promise<void> => {
    if (Date.now() - polledAt < POLL_EVERY_MS) return;
    polledAt = Date.now();
    await context.producer.enqueue(QUEUES.poll, { slot: polledAt });
  };
}
