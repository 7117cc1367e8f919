import { median } from '../median.ts';
import type { OwnMarket, Read } from './own-process.ts';
import { cpuOf, type Spent } from './probe.ts';

/** An odd number of pairs, of which the one in the middle counts. */
const PAIRS = 5;

export type Compared = {
  readonly plain: Spent;
  readonly other: Spent;
  /** CPU in the other market over that in the plain one. */
  readonly over: number;
};

/**
 * The same read in two markets in turns: between markets that are minutes apart this machine changes its speed by more
 * than the goals allow.
 */
export async function inTurns(plain: OwnMarket, other: OwnMarket, read: Read): Promise<Compared> {
  // The first rounds still compile.
  await other.spentOn(read);
  await plain.spentOn(read);
  const pairs: Compared[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const isPlainFirst = pair % 2 === 0;
    const before = isPlainFirst ? await plain.spentOn(read) : null;
    const ofOther = await other.spentOn(read);
    const ofPlain = before ?? (await plain.spentOn(read));
    pairs.push({ plain: ofPlain, other: ofOther, over: cpuOf(ofOther) / cpuOf(ofPlain) });
  }
  const middle = median(pairs.map(({ over }) => over));
  return pairs.find(({ over }) => over === middle) as Compared;
}
