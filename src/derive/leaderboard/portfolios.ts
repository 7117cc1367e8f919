import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import {
  type Portfolio,
  type PortfolioSource,
  portfolioOf,
  reasonsOfReport,
  unweighedFilings,
} from '../../domain/leaderboard/portfolio.ts';
import { nextQuarterEnd } from '../../domain/quarter.ts';
import { aumCents, equityCount, excludedTotals, withoutDoubted } from '../../domain/report/holding.ts';
import { type EffectiveReport, isEquity } from '../../domain/report/report.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import { type PeersAnswers, peersAnswers } from '../../store/peers/answers.ts';
import { firstRowsOf, type StoredHolding } from '../../store/report/holdings.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';
import { foldReads, foldStored } from '../report/compare-reports.ts';

/** Reports in memory, with their largest rows: a full quarter has thousands. */
const REPORTS_AT_ONCE = 20;

/** A copied portfolio and the report that it was copied from, as that was read. */
export type Copied = {
  readonly portfolio: Portfolio;
  readonly report: Pick<ReportDoc, '_id' | 'version' | 'digest' | 'reasons'>;
};

/**
 * The copied portfolios of the reports of a quarter with these ids, as they were public at the end of the next one.
 * Reports that list no holdings are left out.
 */
export async function copiedPortfolios(
  db: Db,
  ids: readonly string[],
  { quarterEnd, asOf }: { readonly quarterEnd: QuarterEnd; readonly asOf: IsoDate },
): Promise<Copied[]> {
  const copied: Copied[] = [];
  const peers = await peersAnswers(db, new Set([quarterEnd]));
  for (const batch of batches(ids, REPORTS_AT_ONCE)) {
    const read = await findByIds(reportsIn(db), batch);
    const reports = read.filter(({ state }) => state === 'holdings');
    const rows = await firstRowsOf(db, reports);
    for (const report of reports) {
      const source = await sourceOf(db, report, { rows: rows.get(report._id) ?? [], asOf, peers });
      const { _id, version, digest, reasons } = report;
      copied.push({ portfolio: portfolioOf(source), report: { _id, version, digest, reasons } });
    }
  }
  return copied;
}

type Shown = {
  readonly rows: readonly StoredHolding[];
  readonly asOf: IsoDate;
  readonly peers: PeersAnswers;
};

/**
 * The report shown, where all its filings were public in time and their scales are certain. Otherwise
 * the earlier filings, folded again: only what a copier could have known counts (rule 9.1).
 */
async function sourceOf(db: Db, report: ReportDoc, { rows, asOf, peers }: Shown): Promise<PortfolioSource> {
  const bought = nextQuarterEnd(report.quarterEnd);
  const dates = report.filings.map(({ filedDate }) => filedDate).sort();
  const firstFiled = dates[0] ?? report.newest.filedDate;
  const isInTime = (dates.at(-1) ?? firstFiled) <= bought;
  if (isInTime && unweighedFilings(report).size === 0) return { ...shownSource(report, rows), firstFiled };
  const key = keyOf(report);
  const reads = await foldReads(db, [key], { asOf: bought < asOf ? bought : asOf, peers });
  const public_ = (await foldStored(db, key, reads))?.report;
  if (public_?.state !== 'holdings') {
    const shown = shownSource(report, rows);
    return { ...shown, firstFiled, reasons: [...shown.reasons, 'late'] };
  }
  const folded = foldedSource(public_);
  return { ...folded, firstFiled, reasons: isInTime ? folded.reasons : [...folded.reasons, 'amended_later'] };
}

function shownSource(report: ReportDoc, rows: readonly StoredHolding[]): Omit<PortfolioSource, 'firstFiled'> {
  return {
    ...keyOf(report),
    rows: rows.map((row) => ({
      cusip: row.cusip,
      amount: BigInt(row.shares),
      valueCents: BigInt(row.value_cents),
      reasons: row.quality.reasons,
    })),
    holdingsCount: Number(report.holdingsCount),
    equityCents: report.aumCents,
    reportedCents: report.reportedValueCents,
    optionCents: report.optionValueCents,
    reasons: reasonsOfReport(report),
  };
}

/** Without the values of additions whose scale nothing confirms: their weight is unknown (rule 2.10). */
function foldedSource(report: EffectiveReport): Omit<PortfolioSource, 'firstFiled'> {
  const positions = report.positions.map(withoutDoubted);
  return {
    ...keyOf(report),
    rows: positions.filter(isEquity),
    holdingsCount: equityCount(report),
    equityCents: aumCents({ positions }),
    reportedCents: positions.reduce((sum, { valueCents }) => sum + valueCents, 0n),
    optionCents: excludedTotals({ positions }).options.valueCents,
    reasons: reasonsOfReport(report),
  };
}

function keyOf({ cik, quarterEnd }: { cik: Cik; quarterEnd: QuarterEnd }) {
  return { cik, quarterEnd };
}
