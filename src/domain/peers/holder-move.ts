import type { Cik } from '../ids.ts';
import type { SplitFactor } from '../report/report.ts';
import type { FiledPosition, FiledSecurity } from './filed-security.ts';
import { isSound, medianOf } from './price.ts';
import { factorOf, numberOf } from './split.ts';
import { MIN_SETTLED_SHARES, MOVE_TOLERANCE } from './thresholds.ts';

/** One manager that reported both quarters. Shares as numbers: ratios are statistics. */
export type HolderMove = {
  readonly cik: Cik;
  readonly issuer: string;
  readonly prior: number;
  readonly amount: number;
  /** Cents a share as filed, at the end where it is held: now, else before. Null without a value. */
  readonly price: number | null;
};

/** The holders of a security among the managers whose reports of both quarters can be compared. */
export type HolderMoves = ReturnType<typeof movesOf>;

/** Share counts at the two ends. */
export type Shares = Pick<HolderMove, 'prior' | 'amount'>;

export function movesOf(security: FiledSecurity, bothReported: ReadonlySet<Cik>) {
  const before = new Map<Cik, FiledPosition>();
  for (const position of security.prior) {
    if (bothReported.has(position.cik) && isSound(position)) before.set(position.cik, position);
  }
  const throughout: HolderMove[] = [];
  const entered: HolderMove[] = [];
  for (const now of security.current) {
    if (!bothReported.has(now.cik)) continue;
    const prior = Number(before.get(now.cik)?.amount ?? 0n);
    // A position in doubt is still held: its holder did not leave.
    before.delete(now.cik);
    if (!isSound(now)) continue;
    (prior > 0 ? throughout : entered).push(moveOf(now, { prior, amount: Number(now.amount) }));
  }
  const left = [...before.values()].map((last) => moveOf(last, { prior: Number(last.amount), amount: 0 }));
  return { throughout, left, entered };
}

function moveOf(held: FiledPosition, { prior, amount }: Shares): HolderMove {
  const price = held.valueCents > 0n ? Number(held.valueCents) / Number(held.amount) : null;
  return { cik: held.cik, issuer: held.issuer, prior, amount, price };
}

/**
 * Whether the share count moved by the factor: within the tolerance, or to the whole share below or
 * above, because a fraction of a share is settled in cash.
 */
export function isMovedBy({ prior, amount }: Shares, factor: SplitFactor): boolean {
  const exact = prior * numberOf(factor);
  const distance = Math.abs(amount - exact);
  return distance < MOVE_TOLERANCE * exact || (exact >= MIN_SETTLED_SHARES && distance < 1);
}

export function isUnchanged({ prior, amount }: Shares): boolean {
  return Math.abs(amount - prior) < MOVE_TOLERANCE * prior;
}

/** The ratio of the median holder: if more than half moved by one ratio, it is that one. */
export function commonFactorOf(moves: readonly Shares[]): SplitFactor {
  return factorOf(medianOf(Float64Array.from(moves, ({ prior, amount }) => amount / prior).sort()));
}
