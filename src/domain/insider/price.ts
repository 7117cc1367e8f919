import type { Moment } from '../columns/changes.ts';
import { type Accession, type Cik, type Cusip, type IsoDate, issuerOf, type QuarterEnd } from '../ids.ts';
import { type FiledQuarters, PRICEABLE } from '../peers/filed-quarter.ts';
import type { FilingScale, ReportVerdict } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import { nextQuarterEnd, previousQuarterEnd, quarterEndOn } from '../quarter.ts';
import { agreedRow, type ImpliedPrice } from '../report/implied-price.ts';
import type { ReferencePrice } from './reference-price.ts';

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

/** The same as prices of a day each, for {@link priceReasons}. */
export function referencesOf(prices: IssuerPrices): ReferencePrice[] {
  return [...prices].map(([day, { valueCents, shares }]) => ({
    day,
    cents: Number(valueCents) / Number(shares),
  }));
}

/** A price as filed, and the filing that it comes from: the manager's number, and the place in its report. */
type FiledPrice = { readonly asFiled: QuarterPrice; readonly manager: number; readonly place: number };

type Verdicts = ReadonlyMap<Cik, Pick<ReportVerdict, 'scales'>>;

/** Exact enough for a factor of five. */
const SHARES = 1_000n;

/** The prices by reports, and for other securities the daily price at the quarter's end (rule 6.3). */
export function withDailyPrices(
  prices: ReadonlyMap<Cusip, QuarterPrice>,
  { market, quarterEnd }: Pick<FiledQuarters, 'market' | 'quarterEnd'>,
): ReadonlyMap<Cusip, QuarterPrice> {
  const all = new Map<Cusip, QuarterPrice>();
  for (const cusip of market.cusips()) {
    const price = prices.has(cusip) ? null : market.priceOn(cusip, quarterEnd);
    if (price === null) continue;
    all.set(cusip, { valueCents: BigInt(Math.round(price * 100 * Number(SHARES))), shares: SHARES });
  }
  return all.size === 0 ? prices : new Map([...prices, ...all]);
}

/**
 * The price of each security at a quarter's end by its holders' reports as filed, in the scale decided
 * for the filing that it comes from. None where too few agree.
 */
export function quarterPrices(quarters: FiledQuarters, verdicts: Verdicts): ReadonlyMap<Cusip, QuarterPrice> {
  return rememberingPrices()(quarters, verdicts);
}

/**
 * Answers as {@link quarterPrices} does. Only the holders of securities with other rows are asked again. Prices are
 * decided again of managers with another report, and all of them where another filing is corrected. A price that stays
 * as filed is the same object as before; where nothing is decided again, the whole answer is.
 */
export function rememberingPrices() {
  let known: (FiledPrice | null)[] = [];
  let prices = new Map<Cusip, QuarterPrice>();
  let seen: Moment | null = null;
  let correctedBefore = '';
  return ({ current, names }: FiledQuarters, verdicts: Verdicts): ReadonlyMap<Cusip, QuarterPrice> => {
    const changes = current.changesSince(seen);
    if (changes === null) [known, prices] = [[], new Map()];
    // Until the end: after an error half-way, the next call computes all.
    seen = null;
    const asked = changes?.securities ?? [...Array(names.securities.size()).keys()];
    for (const security of asked) known[security] = filedPrice({ current, names }, security);
    const scales = correctedScales(verdicts);
    const corrected = textOf(scales);
    const managers = corrected === correctedBefore ? new Set(changes?.managers) : null;
    const decided = new Set([...asked, ...pricedBy(managers, known)]);
    // What was answered before stays as it is.
    if (decided.size > 0) prices = new Map(prices);
    for (const security of decided) {
      const [cusip, price] = [names.securities.textOf(security), known[security]];
      if (price) prices.set(cusip, inDecidedScale(price, scales.get(accessionOf({ current, names }, price))));
      else prices.delete(cusip);
    }
    [seen, correctedBefore] = [current.now(), corrected];
    return prices;
  };
}

/** Securities whose price is of one of the managers; all priced ones for null. */
function pricedBy(managers: ReadonlySet<number> | null, known: readonly (FiledPrice | null)[]): number[] {
  return known.flatMap((price, security) =>
    price && (managers === null || managers.has(price.manager)) ? security : [],
  );
}

type Current = Pick<FiledQuarters, 'current' | 'names'>;

/** The filing of the price; empty for a position that is the sum of several. */
function accessionOf({ current, names }: Current, { manager, place }: FiledPrice): Accession {
  const report = current.reports.get(names.managers.textOf(manager));
  return report?.filings[place]?.accession ?? ('' as Accession);
}

/** The decided scales that are not those of their filing's date, by filing. */
function correctedScales(verdicts: Verdicts): Map<Accession, FilingScale> {
  const decided = [...verdicts.values()].flatMap(({ scales }) => scales);
  const byFiling = new Map(decided.map((scale) => [scale.accession, scale]));
  const isCorrected = ({ reasons }: FilingScale) => reasons.some((reason) => CORRECTED.includes(reason));
  return new Map([...byFiling].filter(([, scale]) => isCorrected(scale)));
}

function textOf(scales: ReadonlyMap<Accession, FilingScale>): string {
  return [...scales].map(([accession, { reasons }]) => `${accession} ${reasons}`).join();
}

const CORRECTED: readonly Reason[] = ['value_unit_thousands_after_2023', 'value_unit_dollars_before_2023'];

function filedPrice({ current, names }: Current, security: number): FiledPrice | null {
  const { flags, manager, filing } = current.columns();
  const rows = current.rowsOf(security).filter((row) => ((flags[row] as number) & PRICEABLE) !== 0);
  const row = agreedRow({ ...current, names }, rows)?.row;
  if (row === undefined) return null;
  const { amount: shares, valueCents } = current.exactOf(row);
  const asFiled = { shares, valueCents };
  return { asFiled, manager: manager[row] as number, place: filing[row] as number };
}

/** The price in the scale decided for its filing: filers that agree may share a mistake (rule 4.3). */
function inDecidedScale({ asFiled }: FiledPrice, scale: FilingScale | undefined): QuarterPrice {
  const reasons = scale?.reasons ?? [];
  const { valueCents, shares } = asFiled;
  if (reasons.includes('value_unit_thousands_after_2023')) return { valueCents: valueCents * 1_000n, shares };
  // A ratio, so that nothing is rounded.
  if (reasons.includes('value_unit_dollars_before_2023')) return { valueCents, shares: shares * 1_000n };
  return asFiled;
}
