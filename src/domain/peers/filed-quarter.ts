import { quarterColumns } from '../columns/columns.ts';
import type { Names } from '../columns/names.ts';
import type { ColumnRow } from '../columns/room.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../ids.ts';
import type { Market } from '../market/market.ts';
import { isPriceable } from '../report/implied-price.ts';
import { type FilerIndex, filerIndex, filerKeys, type NamedManagers } from '../report/other-manager.ts';
import { tallyPrice, valueScaleCents } from '../report/scale.ts';
import { type FiledPosition, isQuote, isSound, PRICEABLE, QUOTE, SOUND } from './filed-position.ts';
import { digestOfPositions } from './same-positions.ts';
import { filingPrices } from './scale-vote.ts';

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
      columns.put(report.cik, rowsOf(report));
      reports.set(report.cik, keptReport(report, names.managers.numberOf(report.cik)));
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

function rowsOf({ filings, positions }: FiledReport): ColumnRow[] {
  const places = new Map(filings.map(({ accession }, place) => [accession, place]));
  const scales = filings.map(({ filedDate }) => valueScaleCents(filedDate));
  return positions.map((position) => {
    const place = position.accession === null ? undefined : places.get(position.accession);
    const scale = place === undefined ? undefined : scales[place];
    const flags =
      (isSound(position) ? SOUND : 0) +
      (scale !== undefined && isQuote(position, scale) ? QUOTE : 0) +
      (isPriceable(position) ? PRICEABLE : 0);
    return { ...position, filing: place ?? filings.length, flags };
  });
}

function keptReport({ cik, filings, isComparable, named, positions }: FiledReport, manager: number) {
  return {
    cik,
    manager,
    isComparable,
    named,
    keys: filerKeys(named),
    filings: filings.map(({ accession, filedDate }) => pricesIn(accession, filedDate, positions)),
    digest: digestOfPositions(positions),
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

/** Managers whose reports can be compared with those of another quarter. */
export function comparableManagers({ reports }: FiledQuarter): Cik[] {
  return [...reports.values()].filter(({ isComparable }) => isComparable).map(({ cik }) => cik);
}
