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
