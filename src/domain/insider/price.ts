import type { Moment } from '../columns/changes.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import { type Accession, type Cik, type Cusip, type IsoDate, issuerOf, type QuarterEnd } from '../ids.ts';
import { PRICEABLE } from '../peers/filed-position.ts';
import type { FiledQuarters } from '../peers/filed-quarter.ts';
import type { FilingScale, ReportVerdict } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import { nextQuarterEnd, previousQuarterEnd, quarterEndOn } from '../quarter.ts';
import { agreedRow } from '../report/agreed-row.ts';
import type { ImpliedPrice } from '../report/implied-price.ts';
import {
  IMPLAUSIBLE_PRICE_FACTOR,
  IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS,
  SAME_QUARTER_FACTOR,
} from './thresholds.ts';
import { isOpenMarketCode, type Trade } from './trade.ts';

/** Value and shares of the 13F position that gives the price of one share. */
export type QuarterPrice = Pick<ImpliedPrice, 'valueCents' | 'shares'>;

/**
 * The price of a share of the issuer at each quarter's end, as 13F reports imply it. Of several
 * securities the dearest counts, because the title on a form does not always identify one.
 */
export type IssuerPrices = ReadonlyMap<QuarterEnd, QuarterPrice>;

export const NO_PRICES: IssuerPrices = new Map();

/** The quarter of the day, then the one before: a trade lies between their two prices. */
export function quartersAround(day: IsoDate): readonly [QuarterEnd, QuarterEnd] {
  const end = quarterEndOn(day);
  return [end, previousQuarterEnd(end)];
}

/** The quarters that a window of days touches, oldest first. */
export function quartersOf({ start, end }: { readonly start: IsoDate; readonly end: IsoDate }): QuarterEnd[] {
  const last = quarterEndOn(end);
  const quarters: QuarterEnd[] = [];
  for (let quarter = quarterEndOn(start); quarter <= last; quarter = nextQuarterEnd(quarter)) {
    quarters.push(quarter);
  }
  return quarters;
}

/** The prices of one issuer among those of several. @param issuers the first characters of its CUSIPs */
export function issuerPrices(
  issuers: readonly string[],
  tables: ReadonlyMap<QuarterEnd, ReadonlyMap<Cusip, QuarterPrice>>,
): IssuerPrices {
  const dearest = new Map<QuarterEnd, QuarterPrice>();
  for (const [quarter, table] of tables) {
    for (const [cusip, price] of table) {
      if (issuers.includes(issuerOf(cusip))) dearest.set(quarter, dearer(dearest.get(quarter), price));
    }
  }
  return dearest;
}

function dearer(a: QuarterPrice | undefined, b: QuarterPrice): QuarterPrice {
  return a !== undefined && a.valueCents * b.shares >= b.valueCents * a.shares ? a : b;
}

/**
 * Whether a price is more than {@link IMPLAUSIBLE_PRICE_FACTOR} times both prices around its day. One
 * of them is enough to explain it: the share may have been split or have crashed between the two. With
 * one price known it takes {@link IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS}, or a price that is the total.
 * @param pricePerShare in dollars, a decimal string
 */
function isImplausiblePrice(pricePerShare: string, row: PricedRow, prices: IssuerPrices): boolean {
  const known = quartersAround(row.placedOn).flatMap((quarter) => prices.get(quarter) ?? []);
  // The factors are large, so prices may be compared as numbers.
  const cents = Number(pricePerShare) * 100;
  const [one, other] = known.map(centsOf);
  if (one === undefined || cents <= one * IMPLAUSIBLE_PRICE_FACTOR) return false;
  if (other !== undefined) return cents > other * IMPLAUSIBLE_PRICE_FACTOR;
  return cents > one * IMPLAUSIBLE_PRICE_FACTOR_ACROSS_SPLITS || isTotal(cents / Number(row.shares), one);
}

function isTotal(centsEach: number, cents: number): boolean {
  return centsEach < cents * SAME_QUARTER_FACTOR && centsEach > cents / SAME_QUARTER_FACTOR;
}

function centsOf({ valueCents, shares }: QuarterPrice): number {
  return Number(valueCents) / Number(shares);
}

/** The parts of a row that decide whether its price is plausible. */
type PricedRow = Pick<OwnershipRow, 'code' | 'shares' | 'pricePerShare'> & Pick<Trade, 'priced' | 'placedOn'>;

/** `price_implausible` for a purchase or sale whose price cannot be the price of a share (rule 6.3). */
export function priceReasons(row: PricedRow, prices: IssuerPrices): Reason[] {
  if (!isOpenMarketCode(row.code) || !row.priced || row.pricePerShare === null) return [];
  return isImplausiblePrice(row.pricePerShare, row, prices) ? ['price_implausible'] : [];
}

/** A price as filed, and the filing that it comes from: the manager's number, and the place in its report. */
type FiledPrice = QuarterPrice & { readonly manager: number; readonly place: number };

type Verdicts = ReadonlyMap<Cik, Pick<ReportVerdict, 'scales'>>;

/**
 * The price of each security at a quarter's end by its holders' reports as filed, in the scale decided
 * for the filing that it comes from. None where too few agree.
 */
export function quarterPrices(quarters: FiledQuarters, verdicts: Verdicts): Map<Cusip, QuarterPrice> {
  return rememberingPrices()(quarters, verdicts);
}

/** Answers as {@link quarterPrices} does, and asks again only the holders of securities with other rows. */
export function rememberingPrices() {
  let [known, seen] = [[] as (FiledPrice | null)[], null as Moment | null];
  return ({ current, names }: FiledQuarters, verdicts: Verdicts): Map<Cusip, QuarterPrice> => {
    const changed = current.changesSince(seen)?.securities;
    if (changed === undefined) known = [];
    for (const security of changed ?? Array(names.securities.size()).keys()) {
      known[security] = filedPrice({ current, names }, security);
    }
    seen = current.now();
    const decided = [...verdicts.values()].flatMap(({ scales }) => scales);
    const scales = new Map(decided.map((scale) => [scale.accession, scale]));
    const prices = new Map<Cusip, QuarterPrice>();
    for (const [security, price] of known.entries()) {
      if (!price) continue;
      const { filings } = current.reports.get(names.managers.textOf(price.manager)) ?? { filings: [] };
      const scale = scales.get(filings[price.place]?.accession as Accession) ?? null;
      prices.set(names.securities.textOf(security), inDecidedScale(price, scale));
    }
    return prices;
  };
}

function filedPrice(
  { current, names }: Pick<FiledQuarters, 'current' | 'names'>,
  security: number,
): FiledPrice | null {
  const { flags, manager, filing } = current.columns();
  const rows = current.rowsOf(security).filter((row) => ((flags[row] as number) & PRICEABLE) !== 0);
  const row = agreedRow({ ...current, names }, rows)?.row;
  if (row === undefined) return null;
  const { amount: shares, valueCents } = current.exactOf(row);
  return { shares, valueCents, manager: manager[row] as number, place: filing[row] as number };
}

/** The price in the scale decided for its filing: filers that agree may share a mistake (rule 4.3). */
function inDecidedScale({ valueCents, shares }: FiledPrice, scale: FilingScale | null): QuarterPrice {
  const reasons = scale?.reasons ?? [];
  if (reasons.includes('value_unit_thousands_after_2023')) return { valueCents: valueCents * 1_000n, shares };
  // A ratio, so that nothing is rounded.
  if (reasons.includes('value_unit_dollars_before_2023')) return { valueCents, shares: shares * 1_000n };
  return { valueCents, shares };
}
