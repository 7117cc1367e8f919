/** Runs at most `most` pieces of work at once; the others wait in the order of their arrival. */
export function openSlots(most: number) {
  const waiting: (() => void)[] = [];
  let free = most;
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
      try {
        return await work();
      } finally {
        // The slot is handed on, so that no newcomer takes it first.
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
