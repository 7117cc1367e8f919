import { setTimeout as wait } from 'node:timers/promises';
import { LANES, type Lane } from '../../src/domain/filing/lane.ts';

/** History gives way to live filings in one process (rule 13.4): both share its event loop and the database. */
export type Precedence = {
  /** Runs the work, and history waits meanwhile where the lane is live. */
  readonly during: (lane: Lane | undefined, work: () => Promise<void>) => Promise<void>;
  /** For history, ahead of each piece of its work. Resolves when nothing live is at work, or after a while. */
  readonly giveWay: () => Promise<void>;
};

/** What follows from a live filing in other processes, its brief above all, has so long without history. */
const AFTER_MS = 400;

/** One piece of history waits no longer, so that live filings that never end do not stop it. */
const MAX_WAIT_MS = 2_000;

const LOOK_MS = 20;

export function openPrecedence(): Precedence {
  let [live, quietFrom] = [0, Number.NEGATIVE_INFINITY];
  return {
    during: async (lane, work) => {
      if (lane !== LANES[0]) return work();
      live += 1;
      try {
        await work();
      } finally {
        live -= 1;
        quietFrom = performance.now() + AFTER_MS;
      }
    },
    giveWay: async () => {
      const until = performance.now() + MAX_WAIT_MS;
      const isLive = (): boolean => live > 0 || performance.now() < quietFrom;
      while (isLive() && performance.now() < until) await wait(LOOK_MS);
    },
  };
}

/** Work that goes side by side, and work that needs to be the only one. Each starts after what came before it. */
export type Turns = {
  readonly together: (work: () => Promise<void>) => Promise<void>;
  /** Starts when all before it has ended; what comes later starts when it has. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
};

export function openTurns(): Turns {
  const running = new Set<Promise<unknown>>();
  let lastAlone: Promise<unknown> = Promise.resolve();
  const start = (after: Promise<unknown>, work: () => Promise<void>) => {
    const run = after.then(work);
    const end = run.catch(() => undefined).finally(() => running.delete(end));
    running.add(end);
    return { run, end };
  };
  return {
    together: (work) => start(lastAlone, work).run,
    alone: (work) => {
      const { run, end } = start(Promise.all(running), work);
      lastAlone = end;
      return run;
    },
  };
}
