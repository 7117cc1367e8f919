/** Numbers that look random and are the same for the same seed on every machine. */
export type Chance = {
  /** From 0, included, to 1. */
  readonly next: () => number;
  readonly below: (limit: number) => number;
  /** True in `share` of the draws. */
  readonly is: (share: number) => boolean;
  /** With mean 0 and deviation 1. */
  readonly normal: () => number;
};

/** Mulberry32, seeded by the hash of all parts, so that each filer and security has a stream of its own. */
export function chanceOf(...parts: readonly (string | number)[]): Chance {
  let state = hashOf(parts.join('|'));
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    is: (share) => next() < share,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619);
  return hash;
}
