import { emptyNames } from '../columns/room.ts';
import { groupBy } from '../group.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import { type Market, NO_MARKET } from '../market/market.ts';
import { NAMES_NOBODY } from '../report/other-manager.ts';
import { type FiledPosition, type FiledQuarters, type FiledReport, filedQuarter } from './filed-quarter.ts';
import { type PeersResult, peersOf as peersOfQuarters } from './peers.ts';
import type { CorporateAction } from './verdict.ts';

/** Small quarters for the tests of this folder: who held what at three quarter ends. */
export const QUARTER = '2024-03-31' as QuarterEnd;

export type Side = 'prior' | 'current' | 'next';
export const FILED: Record<Side, IsoDate> = {
  prior: '2024-02-14' as IsoDate,
  current: '2024-05-15' as IsoDate,
  next: '2024-08-14' as IsoDate,
};

export type SampleHolding = Omit<FiledPosition, 'accession'> & {
  readonly side: Side;
  readonly by: number;
  readonly accession?: Accession | null;
};

/** A report; its positions are those of the holdings. */
export type SampleReport = Omit<FiledReport, 'positions'>;

export type SampleOptions = {
  /** Reports that list nothing, or differ from what the holdings imply. */
  readonly reports?: Partial<Record<Side, readonly SampleReport[]>>;
  readonly market?: Market;
  /** Filing dates where they are not the usual ones. */
  readonly filed?: Partial<Record<Side, string>>;
};

export const filer = (n: number): Cik => String(n).padStart(10, '0') as Cik;
export const stock = (n: number): Cusip => `A${String(n).padStart(8, '0')}` as Cusip;
export const filingOf = (by: number, side: Side): Accession =>
  `${filer(by)}-24-00000${side === 'prior' ? 1 : side === 'current' ? 2 : 3}` as Accession;

/** A position at a price in cents a share; 20 dollars unless given. */
export function holding(
  by: number,
  cusip: Cusip,
  { side = 'current', price = 2_000n, ...fields }: Partial<SampleHolding> & { readonly price?: bigint } = {},
): SampleHolding {
  const amount = fields.amount ?? 10_000n;
  return {
    side,
    by,
    cusip,
    issuer: `ISSUER ${cusip}`,
    valueCents: amount * price,
    reasons: [],
    ...fields,
    amount,
  };
}

/** The same manager's position at both ends. */
export function moved(
  by: number,
  cusip: Cusip,
  shares: readonly [prior: bigint, current: bigint],
  prices = SAME,
): SampleHolding[] {
  return [
    holding(by, cusip, { side: 'prior', amount: shares[0], price: prices[0] }),
    holding(by, cusip, { side: 'current', amount: shares[1], price: prices[1] }),
  ].filter(({ amount }) => amount > 0n);
}

const SAME: readonly [prior: bigint, current: bigint] = [2_000n, 2_000n];

/** Every manager that holds anything reported that quarter. */
export function reportsOf(
  name: Side,
  holdings: readonly SampleHolding[],
  options: SampleOptions = {},
): FiledReport[] {
  const own = options.reports?.[name] ?? [];
  const ciks = new Set(own.map(({ cik }) => cik));
  const held = holdings.filter((one) => one.side === name);
  const byManager = groupBy(held, ({ by }) => filer(by));
  const holders = new Set(held.map(({ by }) => by));
  const filedDate = (options.filed?.[name] ?? FILED[name]) as IsoDate;
  const others = [...holders].filter((by) => !ciks.has(filer(by))).map((by) => reportBy(by, name, filedDate));
  return [...own, ...others].map((report) => ({
    ...report,
    positions: (byManager.get(report.cik) ?? []).map(positionOf),
  }));
}

function positionOf({ by, side, accession = filingOf(by, side), ...position }: SampleHolding): FiledPosition {
  return { ...position, accession };
}

export function reportBy(by: number, side: Side, filedDate: IsoDate = FILED[side]): SampleReport {
  const filings = [{ accession: filingOf(by, side), filedDate }];
  return { cik: filer(by), filings, isComparable: true, named: NAMES_NOBODY };
}

/** Columns of the three quarters, filled report by report. */
export function quartersOf(reports: Readonly<Record<Side, readonly FiledReport[]>>): FiledQuarters {
  const names = emptyNames();
  const side = (name: Side) => {
    const quarter = filedQuarter(names);
    for (const report of reports[name]) quarter.put(report);
    return quarter;
  };
  return {
    quarterEnd: QUARTER,
    prior: side('prior'),
    current: side('current'),
    next: side('next'),
    market: NO_MARKET,
    names,
  };
}

export function peersOf(holdings: readonly SampleHolding[], options: SampleOptions = {}): PeersResult {
  const side = (name: Side) => reportsOf(name, holdings, options);
  const reports = { prior: side('prior'), current: side('current'), next: side('next') };
  return peersOfQuarters({ ...quartersOf(reports), market: options.market ?? NO_MARKET });
}

export function corporateActionsOf(
  holdings: readonly SampleHolding[],
  options: SampleOptions = {},
): readonly CorporateAction[] {
  return peersOf(holdings, options).peers.corporateActions;
}

/** `count` managers whose shares of one stock moved alike, at the prices of the two ends. */
export function holdersOf(
  cusip: Cusip,
  prices: readonly [prior: bigint, current: bigint],
): (
  count: number,
  shares: readonly [prior: bigint, current: bigint],
  options?: { readonly from?: number; readonly prices?: readonly [prior: bigint, current: bigint] },
) => SampleHolding[] {
  return (count, shares, { from = 1, prices: own = prices } = {}) =>
    Array.from({ length: count }, (_, at) => moved(from + at, cusip, shares, own)).flat();
}

/** `managers` hold each of `count` stocks at the same prices, some dollars apart. */
export function market(managers: readonly number[], count: number, side: Side = 'current'): SampleHolding[] {
  return Array.from({ length: count }, (_, at) => stock(at + 1)).flatMap((cusip, at) =>
    managers.map((by) =>
      holding(by, cusip, { side, price: BigInt(1_500 + at * 700), amount: BigInt(1_000 * by + 100 * at) }),
    ),
  );
}
