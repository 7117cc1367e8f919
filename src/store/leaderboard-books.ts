import type { Db } from 'mongodb';
import { aumCents, equityCount, excludedTotals, isEquity, isValued } from '../domain/holding.ts';
import { type Cik, type Cusip, evidenceIdOf13f, type IsoDate, type QuarterEnd } from '../domain/ids.ts';
import {
  type Book,
  type BookSource,
  bookOf,
  flagsOfReport,
  unweighedFilings,
} from '../domain/leaderboard-book.ts';
import { nextQuarterEnd } from '../domain/quarter.ts';
import type { EffectiveReport } from '../domain/report.ts';
import { firstRowsOf, type StoredHolding } from './holdings.ts';
import type { ReportDoc } from './reports.ts';
import { foldStored } from './thirteen-f.ts';

/** Reports whose largest rows are read with one command. */
const REPORTS_AT_ONCE = 100;

/** The copied portfolio of each report, as it was public at the end of the next quarter; by CIK. */
export async function booksOf(db: Db, reports: readonly ReportDoc[], asOf: IsoDate): Promise<Book[]> {
  const books: Book[] = [];
  for (let start = 0; start < reports.length; start += REPORTS_AT_ONCE) {
    const batch = reports.slice(start, start + REPORTS_AT_ONCE);
    const rows = await firstRowsOf(db, batch);
    for (const report of batch) {
      const source = await sourceOf(db, report, { rows: rows.get(report._id) ?? [], asOf });
      books.push(bookOf(source));
    }
  }
  return books.sort((a, b) => (a.cik < b.cik ? -1 : 1));
}

type Shown = { readonly rows: readonly StoredHolding[]; readonly asOf: IsoDate };

/**
 * The report shown, where all its filings were public in time. Otherwise what its filings of before
 * say, folded anew: nothing that a copier could not have known enters (domain 3b).
 */
async function sourceOf(db: Db, report: ReportDoc, { rows, asOf }: Shown): Promise<BookSource> {
  const bought = nextQuarterEnd(report.quarterEnd);
  const dates = report.filings.map(({ filedDate }) => filedDate).sort();
  const firstFiled = dates[0] ?? report.newest.filedDate;
  if ((dates.at(-1) ?? firstFiled) <= bought) return { ...shownSource(report, rows), firstFiled };
  const { cik, quarterEnd } = report;
  const public_ = (await foldStored(db, { cik, quarterEnd }, bought < asOf ? bought : asOf))?.report;
  if (public_?.state !== 'holdings') {
    const shown = shownSource(report, rows);
    return { ...shown, firstFiled, flags: [...shown.flags, 'late'] };
  }
  return { ...foldedSource(public_), firstFiled };
}

function shownSource(report: ReportDoc, rows: readonly StoredHolding[]): Omit<BookSource, 'firstFiled'> {
  const unweighed = new Set<string>([...unweighedFilings(report)].map(evidenceIdOf13f));
  const isUnweighed = (row: StoredHolding) => row.evidence_ids.some((id) => unweighed.has(id));
  const unweighedCents = rows
    .filter((row) => isUnweighed(row) && isValued(row.quality))
    .reduce((sum, row) => sum + BigInt(row.value_cents), 0n);
  const weighed = unweighed.size === 0 ? rows : rows.filter((row) => !isUnweighed(row));
  return {
    ...keyOf(report),
    rows: weighed.map((row) => ({
      cusip: row.cusip as Cusip,
      amount: BigInt(row.shares),
      valueCents: BigInt(row.value_cents),
      reasons: row.quality.reasons,
    })),
    holdingsCount: Number(report.holdingsCount),
    equityCents: report.aumCents - unweighedCents,
    reportedCents: report.reportedValueCents - unweighedCents,
    optionCents: report.optionValueCents,
    flags: flagsOfReport(report),
  };
}

function foldedSource(report: EffectiveReport): Omit<BookSource, 'firstFiled'> {
  const unweighed = unweighedFilings(report);
  const positions = report.positions.filter(
    ({ accessions }) => !accessions.some((accession) => unweighed.has(accession)),
  );
  return {
    ...keyOf(report),
    rows: positions.filter(isEquity),
    holdingsCount: equityCount(report),
    equityCents: aumCents({ positions }),
    reportedCents: positions.reduce((sum, { valueCents }) => sum + valueCents, 0n),
    optionCents: excludedTotals({ positions }).options.valueCents,
    flags: [...flagsOfReport(report), 'amended_later'],
  };
}

function keyOf({ cik, quarterEnd }: { cik: Cik; quarterEnd: QuarterEnd }) {
  return { cik, quarterEnd };
}
