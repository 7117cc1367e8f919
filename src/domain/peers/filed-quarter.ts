import { sha256Hex } from '../canonical.ts';
import type { Moment } from '../columns/changes.ts';
import { quarterColumns } from '../columns/columns.ts';
import type { ColumnRow, Names } from '../columns/room.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { Market } from '../market/market.ts';
import { isAboutShares, type Reason, UNSOUND } from '../quality/quality.ts';
import { isPriceable } from '../report/implied-price.ts';
import { type FilerIndex, filerIndex, filerKeys, type NamedManagers } from '../report/other-manager.ts';
import { CENTS_PER_DOLLAR, judgeOwnPrices, tallyPrice, valueScaleCents } from '../report/scale.ts';
import { type FilingPrices, filingPrices } from './scale-vote.ts';
import { MIN_SAME_POSITIONS, MIN_SCALED_VALUE } from './thresholds.ts';

/**
 * One manager's equity position (SH, no option) as filed: the share count as it is, and the value in
 * the scale of the filing date (`valueScaleCents`), never in a corrected one. So what is concluded
 * from positions never enters them again.
 */
export type FiledPosition = {
  readonly cusip: Cusip;
  /** The issuer's name as the report spells it. */
  readonly issuer: string;
  readonly amount: bigint;
  readonly valueCents: bigint;
  /** The filing that all rows of the position come from; null when several filings are summed in it. */
  readonly accession: Accession | null;
  readonly reasons: readonly Reason[];
};

/**
 * Bits of a position in the columns of its quarter: it is sound, a quote, or gives a price to others; or the prices
 * of its filing are impossible in the scale of its date, too low or too high.
 */
const SOUND = 1;
const QUOTE = 2;
export const PRICEABLE = 4;
const TOO_LOW = 8;
const TOO_HIGH = 16;

/** A report as filed. Each CUSIP is in at most one position; any order. */
export type FiledReport = {
  readonly cik: Cik;
  /** The filings that its positions come from (base and supplements); none for a notice. */
  readonly filings: readonly { readonly accession: Accession; readonly filedDate: IsoDate }[];
  /**
   * Whether the table can be compared with another quarter's: it lists holdings, and its shares are
   * known (no `shares_equal_value`). Absence from any other report proves nothing.
   */
  readonly isComparable: boolean;
  readonly named: NamedManagers;
  readonly positions: readonly FiledPosition[];
};

/** What peers need of a report besides its columns: it follows from the report alone. */
export type KeptReport = ReturnType<typeof keptReport>;

/** One row for each manager and security. */
export type FiledQuarter = ReturnType<typeof filedQuarter>;

/** The reports of a quarter as filed, notices included; at most one of a manager. */
export function filedQuarter(names: Names) {
  const columns = quarterColumns(names);
  const reports = new Map<Cik, KeptReport>();
  let filers: FilerIndex | null = null;
  return {
    ...columns,
    reports: reports as ReadonlyMap<Cik, KeptReport>,
    /** The managers of the reports, indexed once until a report comes or goes. */
    filers: (): FilerIndex => {
      filers ??= filerIndex(reports.values());
      return filers;
    },
    put(report: FiledReport): void {
      const kept = keptReport(report, names.managers.numberOf(report.cik));
      columns.put(report.cik, columnRows(report, kept));
      reports.set(report.cik, kept);
      filers = null;
    },
    drop(cik: Cik): void {
      columns.drop(cik);
      reports.delete(cik);
      filers = null;
    },
  };
}

/** Three adjacent quarters. The last serves only where a price is missing, and may be empty. */
export type FiledQuarters = {
  readonly quarterEnd: QuarterEnd;
  readonly prior: FiledQuarter;
  readonly current: FiledQuarter;
  readonly next: FiledQuarter;
  /** Daily prices between the two ends. */
  readonly market: Market;
  /** Of the columns of all three. */
  readonly names: Names;
};

/** The three quarters as they were seen the last time. */
export type Seen = Pick<FiledQuarters, 'market'> & Readonly<Record<'prior' | 'current' | 'next', Moment>>;

/** What differs from the quarters as they were seen: numbers of managers and of securities. */
export type Changed = {
  /** Nothing was remembered: these are all. */
  readonly isWhole: boolean;
  /** With another report in any of the quarters. */
  readonly managers: ReadonlySet<number>;
  /** With other rows in the quarter itself. */
  readonly current: readonly number[];
  /** With other rows in the quarter itself or the one before. */
  readonly compared: ReadonlySet<number>;
  /** With other rows in the quarter before or after. */
  readonly beside: ReadonlySet<number>;
};

export function seenOf({ market, prior, current, next }: FiledQuarters): Seen {
  return { market, prior: prior.now(), current: current.now(), next: next.now() };
}

export function changedSince(
  { market, prior, current, next, names }: FiledQuarters,
  last: Seen | null,
): Changed {
  const seen = last?.market === market ? last : null;
  const before = prior.changesSince(seen?.prior ?? null);
  const now = current.changesSince(seen?.current ?? null);
  const after = next.changesSince(seen?.next ?? null);
  if (before === null || now === null || after === null) {
    const all = [...Array(names.securities.size()).keys()];
    const [managers, securities] = [new Set(Array(names.managers.size()).keys()), new Set(all)];
    return { isWhole: true, managers, current: all, compared: securities, beside: securities };
  }
  return {
    isWhole: false,
    managers: new Set([...before.managers, ...now.managers, ...after.managers]),
    current: now.securities,
    compared: new Set([...before.securities, ...now.securities]),
    beside: new Set([...before.securities, ...after.securities]),
  };
}

/** Whether the CUSIP and the amounts of a row are not in doubt. */
export function isSoundIn(quarter: FiledQuarter, row: number): boolean {
  return ((quarter.columns().flags[row] as number) & SOUND) !== 0;
}

/** Whether a row prices its security (rule 4.2). */
export function isQuoteIn(quarter: FiledQuarter, row: number): boolean {
  return ((quarter.columns().flags[row] as number) & QUOTE) !== 0;
}

/** Cents a share as filed, in the scale that the filing's own prices allow; 0 where that is no price. */
export function ownPriceIn(quarter: FiledQuarter, row: number): number {
  if (!isQuoteIn(quarter, row)) return 0;
  const flags = quarter.columns().flags[row] as number;
  const scale = flags & TOO_LOW ? 1_000 : flags & TOO_HIGH ? 1 / 1_000 : 1;
  return (quarter.centsOf(row) / quarter.amountOf(row)) * scale;
}

/** The rows of a manager's report. */
export function rowsOf(quarter: FiledQuarter, manager: number): number[] {
  const { from, to } = quarter.rangeOf(manager);
  const rows: number[] = [];
  for (let row = from; row < to; row += 1) rows.push(row);
  return rows;
}

/** What the reports of the managers list, as often as they list it. */
export function* securitiesIn(quarter: FiledQuarter, managers: Iterable<number>): Generator<number> {
  const { security } = quarter.columns();
  for (const manager of managers) for (const row of rowsOf(quarter, manager)) yield security[row] as number;
}

/** A manager's shares of each security, by its number. */
export function sharesOf(quarter: FiledQuarter, manager: number): ReadonlyMap<number, number> {
  const { security } = quarter.columns();
  const shares = new Map<number, number>();
  for (const row of rowsOf(quarter, manager)) shares.set(security[row] as number, quarter.amountOf(row));
  return shares;
}

function columnRows({ positions }: FiledReport, { filings }: KeptReport): ColumnRow[] {
  const places = new Map(filings.map(({ accession }, place) => [accession, place]));
  const misscaled = filings.map(misscaledFlag);
  return positions.map((position) => {
    const place = position.accession === null ? undefined : places.get(position.accession);
    const scale = place === undefined ? undefined : filings[place]?.datedCents;
    const flags =
      (place === undefined ? 0 : (misscaled[place] as number)) +
      (isSound(position) && !position.reasons.some(isAboutShares) ? SOUND : 0) +
      (isQuote(position, scale) ? QUOTE : 0) +
      (isPriceable(position) ? PRICEABLE : 0);
    return { ...position, filing: place ?? filings.length, flags };
  });
}

/** Only the other scale explains them: nothing is due in millions. */
function misscaledFlag({ own, datedCents }: FilingPrices): number {
  if (judgeOwnPrices(own) !== 'contradicted') return 0;
  const isDollars = datedCents === CENTS_PER_DOLLAR;
  if (own.low > own.high) return isDollars ? TOO_LOW : 0;
  return isDollars ? 0 : TOO_HIGH;
}

function isSound({ amount, valueCents, reasons }: FiledPosition): boolean {
  return amount > 0n && valueCents >= 0n && !reasons.some((reason) => UNSOUND.has(reason));
}

/**
 * A position of several filings has no one scale, and one whose shares repeat its value has no share count
 * (rule 2.3): neither is a quote.
 * @param scale of its filing by date: cents in one unit of the value column; undefined for several filings
 */
function isQuote(position: FiledPosition, scale: bigint | undefined): boolean {
  const { amount, valueCents } = position;
  if (scale === undefined || !isSound(position)) return false;
  return valueCents >= scale * MIN_SCALED_VALUE && valueCents !== amount * scale;
}

function keptReport({ cik, filings, isComparable, named, positions }: FiledReport, manager: number) {
  return {
    cik,
    manager,
    isComparable,
    named,
    keys: filerKeys(named),
    filings: filings.map(({ accession, filedDate }) => pricesIn(accession, filedDate, positions)),
    digest: digestOf(positions),
  };
}

/** They need no CUSIP, so a mistyped one counts too. */
function pricesIn(accession: Accession, filedDate: IsoDate, positions: readonly FiledPosition[]) {
  const prices = filingPrices(accession, valueScaleCents(filedDate));
  for (const position of positions) {
    if (position.valueCents <= 0n || (position.accession ?? accession) !== accession) continue;
    const isSum = position.accession === null;
    if (!isSum) prices.totalCents += position.valueCents;
    tallyPrice(isSum ? prices.summed : prices.own, position, prices.datedCents);
  }
  return prices;
}

/** The same text for the same positions in any order (rule 4.10); null for too few of them. */
function digestOf(positions: readonly FiledPosition[]): string | null {
  if (positions.length < MIN_SAME_POSITIONS) return null;
  const counts = positions.map(({ cusip, amount }) => `${cusip}${amount}`);
  return sha256Hex(counts.sort().join());
}
