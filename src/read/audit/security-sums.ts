import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { fractionOf, pctOf } from '../../domain/ratio.ts';
import type { ManagerPosition } from '../../store/report/positions.ts';
import type { Audit } from './shape.ts';
import { byAmount, worstOf } from './tally.ts';

/** All positions of one security. A value that other filers' prices contradict is not in the sum. */
type Held = {
  readonly cusip: Cusip;
  /** As its largest holder spells it. */
  issuer: string;
  largest: bigint;
  /** That hold it at the end of the quarter. */
  managers: number;
  valueCents: bigint;
  /** Positions whose change alone looks like a split. */
  splitLike: number;
};

/** Values and tickers over all securities of a quarter. */
export function securitySums(quarterEnd: QuarterEnd | null, limit: number) {
  const total = { cusips: 0, valueCents: 0n, mapped: 0, mappedCents: 0n };
  const unmapped = worstOf(limit, byAmount(centsOf, cusipOf));
  const splits = worstOf(limit, byAmount(splitsOf, cusipOf));
  return {
    /** Each security once. */
    add(held: readonly Held[], tickers: ReadonlyMap<string, unknown>): void {
      for (const security of held) {
        if (security.splitLike > 0) splits.add(security);
        if (security.managers === 0) continue;
        total.cusips += 1;
        total.valueCents += security.valueCents;
        if (tickers.has(security.cusip)) {
          total.mapped += 1;
          total.mappedCents += security.valueCents;
        } else unmapped.add(security);
      }
    },
    found: (): Pick<Audit, 'unmapped_cusips' | 'splits_suspected'> => ({
      unmapped_cusips: {
        quarter_end: quarterEnd,
        cusips: total.cusips,
        value_cents: total.valueCents.toString(),
        mapped_cusips: total.mapped,
        mapped_value_cents: total.mappedCents.toString(),
        mapped_value_pct: percentOf(total.mappedCents, total.valueCents),
        worst: unmapped.found().worst.map((held) => ({ ...lineOf(held), managers: held.managers })),
      },
      splits_suspected: {
        total: splits.found().total,
        worst: splits.found().worst.map((held) => ({
          ...lineOf(held),
          quarter_end: quarterEnd ?? '',
          managers: held.splitLike,
        })),
      },
    }),
  };
}

const centsOf = ({ valueCents }: Held): bigint => valueCents;
const splitsOf = ({ splitLike }: Held): bigint => BigInt(splitLike);
const cusipOf = ({ cusip }: Held): Cusip => cusip;

function lineOf({ cusip, issuer, valueCents }: Held) {
  return { cusip, issuer, value_cents: valueCents.toString() };
}

export function heldBySecurity(positions: readonly ManagerPosition[]): Held[] {
  const securities = new Map<Cusip, Held>();
  for (const { cusip, issuer, amount, valueCents, reasons } of positions) {
    const security = securities.get(cusip) ?? {
      cusip,
      issuer,
      largest: -1n,
      managers: 0,
      valueCents: 0n,
      splitLike: 0,
    };
    securities.set(cusip, security);
    if (reasons.includes('split_suspected')) security.splitLike += 1;
    if (amount <= 0n) continue;
    security.managers += 1;
    if (reasons.includes('implied_price_outlier')) continue;
    security.valueCents += valueCents;
    if (valueCents > security.largest) Object.assign(security, { issuer, largest: valueCents });
  }
  return [...securities.values()];
}

/** Null of nothing. */
export function percentOf(part: bigint, total: bigint): number | null {
  return total > 0n ? pctOf(fractionOf(part, total)) : null;
}
