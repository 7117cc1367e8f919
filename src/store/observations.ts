import type { Db } from 'mongodb';
import type { CorpusState, ManagerObservation } from '../domain/brief-input.ts';
import type { Accession, Cik, Cusip, QuarterEnd } from '../domain/ids.ts';
import type { Owner } from '../domain/owners.ts';
import { previousQuarterEnd } from '../domain/quarter.ts';
import type { RowsUsed } from '../domain/report.ts';
import { AppError } from '../errors.ts';
import { MANY } from './by-ids.ts';
import { eventsOfSecurity } from './consensus.ts';
import { type ReportKey, reportId } from './filings.ts';
import { type FundDoc, fundsById, fundsIn } from './funds.ts';
import { type ManagerPosition, positionsOfReports, positionsOfSecurity } from './positions.ts';
import { type ReportDoc, reportsOfQuarter } from './reports.ts';

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
  const quarters = [latest, previousQuarterEnd(latest)];
  const [{ owners, staleManagers }, ...events] = await Promise.all([
    ownersOf(db, cusip, corpus),
    ...quarters.map((quarterEnd) => eventsOfSecurity(db, cusip, quarterEnd)),
  ]);
  const byQuarter = new Map(quarters.map((quarterEnd, at) => [quarterEnd, events[at] ?? []]));
  const counted = owners.map(({ observation }) => ({
    ...observation,
    events: byQuarter.get(observation.quarterEnd) ?? [],
  }));
  return { counted, staleManagers };
}

/** The same observations with what a list of owners shows beside them, without the events. */
export async function ownersOf(db: Db, cusip: Cusip, corpus: CorpusState): Promise<Owners> {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return { owners: [], staleManagers: 0 };
  const behind = await fundsIn(db)
    .find({ reportedThrough: { $lt: latest } })
    .toArray();
  const [current, older] = await Promise.all([shownIn(db, cusip, latest), lastOf(db, cusip, behind)]);
  const previous = previousQuarterEnd(latest);
  const carried =
    corpus.filingWindow === 'open' ? older.filter(({ position }) => position.quarterEnd === previous) : [];
  return {
    owners: await withFunds(db, [...current, ...carried]),
    staleManagers: older.filter(({ position }) => position.amount > 0n).length,
  };
}

/** Those of one quarter's reports alone: nothing is carried forward into it. */
export async function ownersIn(db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<Owner[]> {
  return withFunds(db, await shownIn(db, cusip, quarterEnd));
}

type Owners = { readonly owners: Owner[]; readonly staleManagers: number };

type Shown = { readonly position: ManagerPosition; readonly report: ReportDoc };

/**
 * The changes of a security in a quarter, each of the version that its report shows. A manager of
 * whom only other versions were read is asked for again by the version shown: the report may have
 * been switched between the two reads, and a position must not be missed for that.
 */
async function shownIn(db: Db, cusip: Cusip, quarterEnd: QuarterEnd): Promise<Shown[]> {
  const positions = await positionsOfSecurity(db, cusip, quarterEnd);
  const reports = await reportsOfQuarter(
    db,
    quarterEnd,
    positions.map(({ cik }) => cik),
  );
  const current = positions.filter(({ cik, version }) => version === reports.get(cik)?.version);
  const settled = new Set(current.map((position) => position.cik));
  const unsettled = [...reports.values()].filter((report) => !settled.has(report.cik));
  return joined([...current, ...(await positionsOfReports(db, cusip, unsettled))], reports);
}

/** The position in the last report of each manager: few by their ids, many by the quarter's slice. */
async function lastOf(db: Db, cusip: Cusip, funds: readonly FundDoc[]): Promise<Shown[]> {
  const byQuarter = new Map<QuarterEnd, Cik[]>();
  for (const { _id, latestQuarterEnd } of funds) {
    const ciks = byQuarter.get(latestQuarterEnd) ?? [];
    ciks.push(_id);
    byQuarter.set(latestQuarterEnd, ciks);
  }
  const found: Shown[] = [];
  for (const [quarterEnd, ciks] of byQuarter) found.push(...(await lastIn(db, cusip, { quarterEnd, ciks })));
  return found;
}

async function lastIn(
  db: Db,
  cusip: Cusip,
  { quarterEnd, ciks }: { readonly quarterEnd: QuarterEnd; readonly ciks: readonly Cik[] },
): Promise<Shown[]> {
  if (ciks.length < MANY) {
    const reports = await reportsOfQuarter(db, quarterEnd, ciks);
    return joined(await positionsOfReports(db, cusip, [...reports.values()]), reports);
  }
  const wanted = new Set(ciks);
  return (await shownIn(db, cusip, quarterEnd)).filter(({ position }) => wanted.has(position.cik));
}

function joined(positions: readonly ManagerPosition[], reports: ReadonlyMap<Cik, ReportDoc>): Shown[] {
  return positions.flatMap((position) => {
    const report = reports.get(position.cik);
    return report === undefined ? [] : [{ position, report }];
  });
}

async function withFunds(db: Db, shown: readonly Shown[]): Promise<Owner[]> {
  const funds = await fundsById(
    db,
    shown.map(({ position }) => position.cik),
  );
  return shown.map((one) => {
    const fund = funds.get(one.position.cik);
    if (fund === undefined) throw inMotion(one.position);
    return { observation: toObservation(one, fund), reportAumCents: one.report.aumCents };
  });
}

/** A report is shown a moment before its manager is listed. */
function inMotion(key: ReportKey): AppError {
  return new AppError('report_in_motion', `the manager of ${reportId(key)} is not listed yet`, {
    status: 503,
    retry: true,
  });
}

/** Dated by the filing that the change comes from: a late supplement re-dates only its own rows. */
function toObservation({ position, report }: Shown, fund: FundDoc): ManagerObservation {
  const filing = report.filings[position.filing] ?? report.newest;
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
    publishedAt: filing.publishedAt,
    accessions: [...contributing(report), ...(report.priorAccessions as Accession[])],
    rowsUsed: rowsUsed(position, report),
    amendment: {
      isAmendment: filing.form.endsWith('/A'),
      amendmentType: filing.amendmentType,
    },
    restated: position.restated,
    events: [],
    reasons: position.reasons,
  };
}

function rowsUsed(position: ManagerPosition, { filings, priorAccessions }: ReportDoc): RowsUsed[] {
  const accessions = [...filings.map(({ accession }) => accession), ...(priorAccessions as Accession[])];
  return position.rowsUsed.flatMap(({ filing, rows }) => {
    const accession = accessions[filing];
    return accession === undefined ? [] : [{ accession, rows }];
  });
}

function contributing(report: ReportDoc): Accession[] {
  return report.filings
    .filter(({ role }) => role === 'base' || role === 'supplement')
    .map(({ accession }) => accession);
}
