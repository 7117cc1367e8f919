/** Whole numbers from 0 below `bound`, always the same for one seed (mulberry32). */
export type Random = (bound: number) => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

/** The same entries in another order. */
export function shuffled<T>(entries: readonly T[], random: Random): T[] {
  const order = [...entries];
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}
