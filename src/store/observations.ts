import type { Db } from 'mongodb';
import type { CorpusState, ManagerObservation } from '../domain/brief-input.ts';
import type { Accession, Cik, Cusip } from '../domain/ids.ts';
import { previousQuarterEnd } from '../domain/quarter.ts';
import { AppError } from '../errors.ts';
import { reportId } from './filings.ts';
import { type FundDoc, fundsIn } from './funds.ts';
import { type ManagerPosition, positionsOfReports, positionsOfSecurity } from './positions.ts';
import { type ReportDoc, reportsIn } from './reports.ts';

export type Observations = {
  /** The managers that count (contract 8), each by the quarter that it is judged by. */
  readonly counted: ManagerObservation[];
  /** Managers behind whose last report holds the security, counted or not. */
  readonly staleManagers: number;
};

/**
 * Whose reports count (contract 8): a manager that reported the latest quarter counts by it; one
 * that is a quarter behind counts by its older report while the filing window is open; others are
 * stale observations only.
 */
export async function observationsOf(db: Db, cusip: Cusip, corpus: CorpusState): Promise<Observations> {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return { counted: [], staleManagers: 0 };
  const behind = await fundsIn(db)
    .find({ reportedThrough: { $lt: latest } })
    .toArray();
  const [current, older] = await Promise.all([
    positionsOfSecurity(db, cusip, latest),
    positionsOfReports(
      db,
      cusip,
      behind.map((fund) => ({ cik: fund._id, quarterEnd: fund.latestQuarterEnd })),
    ),
  ]);
  const stale = older.filter((position) => position.amount > 0n);
  const previous = previousQuarterEnd(latest);
  const carried =
    corpus.filingWindow === 'open' ? older.filter((position) => position.quarterEnd === previous) : [];
  const counted = await withReports(db, [...current, ...carried]);
  const held = await settledPositions(db, stale, await reportsById(db, stale));
  return { counted, staleManagers: held.length };
}

/** Joins the reports and the funds to positions of one generation with them. */
async function withReports(db: Db, positions: readonly ManagerPosition[]): Promise<ManagerObservation[]> {
  const reports = await reportsById(db, positions);
  const funds = await fundsById(db, positions);
  const settled = await settledPositions(db, positions, reports);
  return settled.map((position) => {
    const report = reports.get(reportId(position));
    const fund = funds.get(position.cik);
    if (report === undefined || fund === undefined) throw inMotion(position);
    return toObservation(position, report, fund);
  });
}

/**
 * Positions whose generation is their report's. A newer one means that the report is being written
 * right now: try again, never answer with a hole. An older one is read again, because the report
 * may have been switched between the two reads; what stays older was left behind and does not count.
 */
async function settledPositions(
  db: Db,
  positions: readonly ManagerPosition[],
  reports: ReadonlyMap<string, ReportDoc>,
): Promise<ManagerPosition[]> {
  const revOf = (position: ManagerPosition): number => Number(reports.get(reportId(position))?.rev ?? -1);
  const newer = positions.find((position) => position.rev > revOf(position));
  if (newer !== undefined) throw inMotion(newer);
  const older = positions.filter((position) => position.rev < revOf(position));
  const first = older[0];
  if (first === undefined) return [...positions];
  const again = await positionsOfReports(db, first.cusip, older);
  const settled = [...positions, ...again].filter((position) => position.rev === revOf(position));
  const moved = again.find((position) => position.rev > revOf(position));
  if (moved !== undefined) throw inMotion(moved);
  return settled;
}

function inMotion(position: ManagerPosition): AppError {
  return new AppError('report_in_motion', `the report ${reportId(position)} is being replaced`, {
    status: 503,
    retry: true,
  });
}

async function reportsById(db: Db, keys: readonly ManagerPosition[]): Promise<Map<string, ReportDoc>> {
  if (keys.length === 0) return new Map();
  const docs = await reportsIn(db)
    .find({ _id: { $in: keys.map(reportId) } })
    .toArray();
  return new Map(docs.map((doc) => [doc._id, doc]));
}

async function fundsById(db: Db, keys: readonly ManagerPosition[]): Promise<Map<Cik, FundDoc>> {
  if (keys.length === 0) return new Map();
  const docs = await fundsIn(db)
    .find({ _id: { $in: keys.map((key) => key.cik) } })
    .toArray();
  return new Map(docs.map((doc) => [doc._id, doc]));
}

function toObservation(position: ManagerPosition, report: ReportDoc, fund: FundDoc): ManagerObservation {
  return {
    cik: position.cik,
    name: fund.name,
    slug: fund.slug,
    quarterEnd: position.quarterEnd,
    currentShares: position.amount,
    previousShares: position.priorAmount,
    currentValueCents: position.valueCents,
    previousValueCents: position.priorValueCents,
    comparable: report.comparable,
    publishedAt: report.publishedAt,
    accessions: [...contributing(report), ...(report.priorAccessions as Accession[])],
    amendment: {
      isAmendment: report.newest.form.endsWith('/A'),
      amendmentType: report.newest.amendmentType,
    },
    reasons: position.reasons,
  };
}

function contributing(report: ReportDoc): Accession[] {
  return report.filings
    .filter(({ role }) => role === 'base' || role === 'supplement')
    .map(({ accession }) => accession);
}
