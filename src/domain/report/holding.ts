import type { Reason } from '../quality/quality.ts';
import { compareKeys } from './aggregate.ts';
import type { EffectiveReport, Position, PositionChange, PositionKey } from './report.ts';

export type PositionTotal = { readonly rows: number; readonly valueCents: bigint };

/** A share position itself: not an option on it, not a bond's principal (rule 2.5). */
export function isEquity({ unit, putCall }: PositionKey): boolean {
  return unit === 'SH' && putCall === null;
}

/** The equity rows, in the order given. */
export function equityOf(changes: readonly PositionChange[]): readonly PositionChange[] {
  return changes.filter(isEquity);
}

/** Rows as `/funds/{cik}/holdings` shows them: value descending, exits by prior value, then CUSIP. */
export function inDisplayOrder(changes: readonly PositionChange[]): readonly PositionChange[] {
  return changes.toSorted(compareForDisplay);
}

/** Positions with one of these have a value that is none of the security, or of any. */
const UNVALUED: ReadonlySet<Reason> = new Set(['implied_price_outlier', 'amount_implausible']);

/** Whether the value of a row counts: it is no outlier (rule 2.5) and not beyond any (rule 1.6). */
export function isValued({ reasons }: { readonly reasons: readonly Reason[] }): boolean {
  return !reasons.some((reason) => UNVALUED.has(reason));
}

/** Cents of all equity positions whose value counts. */
export function aumCents({ positions }: Pick<EffectiveReport, 'positions'>): bigint {
  return positions
    .filter((position) => isEquity(position) && isValued(position))
    .reduce((sum, position) => sum + position.valueCents, 0n);
}

/** The same without what additions hold whose unit nothing confirms (rule 2.10). */
export function weighedCents({ positions }: Pick<EffectiveReport, 'positions'>): bigint {
  return aumCents({ positions: positions.map(withoutDoubted) });
}

/** A position without what such additions hold of it; its shares are what they were. */
export function withoutDoubted(position: Position): Position {
  const { doubtedCents = 0n, valueCents } = position;
  return doubtedCents === 0n ? position : { ...position, valueCents: valueCents - doubtedCents };
}

/**
 * What the weight of a row is of. An addition in a wrong unit would outweigh everything: its value is
 * only beside rows that tell that doubt themselves, so that no clear row has a weight that rests on it.
 */
export function weighedAgainst(
  report: { readonly aumCents: bigint; readonly weighedCents?: bigint },
  { reasons }: { readonly reasons: readonly Reason[] },
): bigint {
  const { weighedCents: weighed = report.aumCents } = report;
  return reasons.includes('value_unit_unverified') ? report.aumCents : weighed;
}

/**
 * Reasons of the report as a whole, and those that one of its sums may rest on: what is told of the
 * unit of an addition is of its own rows, and of every total that they are in.
 */
export function reasonsOfTotals({
  reasons,
  filings,
}: Pick<EffectiveReport, 'reasons' | 'filings'>): readonly Reason[] {
  return [...new Set([...reasons, ...filings.flatMap(({ unitReasons }) => unitReasons ?? [])])].sort();
}

/** Number of equity positions after aggregation. */
export function equityCount({ positions }: Pick<EffectiveReport, 'positions'>): number {
  return positions.filter(isEquity).length;
}

/** What is kept apart from equity: options (of shares or of principal) and bond principal. */
export function excludedTotals({ positions }: Pick<EffectiveReport, 'positions'>): {
  readonly options: PositionTotal;
  readonly principal: PositionTotal;
} {
  const total = (chosen: readonly { readonly valueCents: bigint }[]): PositionTotal => ({
    rows: chosen.length,
    valueCents: chosen.reduce((sum, { valueCents }) => sum + valueCents, 0n),
  });
  return {
    options: total(positions.filter(({ putCall }) => putCall !== null)),
    principal: total(positions.filter(({ putCall, unit }) => putCall === null && unit === 'PRN')),
  };
}

function compareForDisplay(a: PositionChange, b: PositionChange): number {
  const aExited = a.change === 'EXITED';
  if (aExited !== (b.change === 'EXITED')) return aExited ? 1 : -1;
  const left = aExited ? a.priorValueCents : a.valueCents;
  const right = aExited ? b.priorValueCents : b.valueCents;
  if (left !== right) return left > right ? -1 : 1;
  return compareKeys(a, b);
}
