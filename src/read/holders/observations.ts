import type { Db } from 'mongodb';
import type { CorpusState } from '../../domain/filing/corpus-state.ts';
import type { ManagerObservation } from '../../domain/holders/observation.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { type LateManager, lateManagers } from '../../store/report/last-held.ts';
import { type ManagerPosition, positions } from '../../store/report/positions.ts';
import { reportsOfQuarter, type ShowingReport } from '../../store/report/reports.ts';
import { holdersAmong, type Shown } from './among.ts';
import { securityHistory } from './security-history.ts';

export type Observations = {
  /** The managers that count (rule 7.1), each by the report that it counts by. */
  readonly counted: ManagerObservation[];
  /** The quarter of the last report of each late manager that holds the security in it, counted or not. */
  readonly staleQuarters: readonly QuarterEnd[];
};

/**
 * Which reports count (rule 7.1). A manager that reported the latest quarter counts by that report.
 * One that is a quarter late counts by its older report while the filing window is open. All others
 * are only stale observations.
 */
export async function observationsOf(db: Db, cusip: Cusip, corpus: CorpusState): Promise<Observations> {
  const { holders, staleQuarters } = await currentHolders(db, cusip, corpus);
  return { counted: holders, staleQuarters };
}

/**
 * The same observations with the other fields of a list of holders. Shares of an older report, or
 * under a former CUSIP, are converted into shares of the latest quarter.
 */
export async function currentHolders(db: Db, cusip: Cusip, corpus: CorpusState) {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return { holders: [], staleQuarters: [] };
  const history = await securityHistory(db, cusip, { reported: latest, latest });
  // Read before the reports of the latest quarter: a manager that reports meanwhile is in one of the two.
  const holding = await lateManagers(db, history.cusips, { latest, by: 'held' });
  const late =
    corpus.filingWindow === 'open' ? await lateByAQuarter(db, history.cusips, { latest, holding }) : [];
  const current = await shownIn(db, history.cusips, latest);
  const reported = new Set(current.map(({ position }) => position.cik));
  const isLate = ({ cik }: LateManager): boolean => !reported.has(cik);
  const carried = await carriedTo(db, history.cusips, { latest, late: late.filter(isLate) });
  return {
    holders: await holdersAmong(db, [...current, ...carried], { history, counted: latest }),
    staleQuarters: holding.filter(isLate).map(({ quarterEnd }) => quarterEnd),
  };
}

type Open = { readonly latest: QuarterEnd; readonly holding: readonly LateManager[] };

/**
 * The managers whose positions are carried into an open window: those one quarter late, also with what
 * they sold. One whose report of the latest quarter has just been stored is not late any more.
 */
async function lateByAQuarter(
  db: Db,
  cusips: readonly Cusip[],
  { latest, holding }: Open,
): Promise<LateManager[]> {
  const selling = await lateManagers(db, cusips, { latest, by: 'exited' });
  const late = [...holding, ...selling].filter(({ quarterEnd }) => quarterEnd === previousQuarterEnd(latest));
  const reported = await reportsOfQuarter(
    db,
    latest,
    late.map(({ cik }) => cik),
  );
  return late.filter(({ cik }) => !reported.has(cik));
}

type Late = { readonly latest: QuarterEnd; readonly late: readonly LateManager[] };

async function carriedTo(db: Db, cusips: readonly Cusip[], { latest, late }: Late): Promise<Shown[]> {
  const ciks = [...new Set(late.map(({ cik }) => cik))];
  const reports = await reportsOfQuarter(db, previousQuarterEnd(latest), ciks);
  return joined(await positionsUnder(db, cusips, [...reports.values()]), reports);
}

/**
 * The holders by the reports of one quarter alone: no older report is carried forward, and shares are
 * those of that quarter. The CUSIP is the one of the latest quarter.
 */
export async function holdersInQuarter(
  db: Db,
  cusip: Cusip,
  { quarterEnd, latest }: { readonly quarterEnd: QuarterEnd; readonly latest: QuarterEnd | null },
): Promise<ManagerObservation[]> {
  const span = { reported: quarterEnd, latest: latest ?? quarterEnd };
  const history = await securityHistory(db, cusip, span);
  return holdersAmong(db, await shownIn(db, history.cusips, quarterEnd), { history, counted: quarterEnd });
}

/**
 * The changes of a security in a quarter, each under the digest that its report shows. A manager with
 * only other digests is read again under the digest shown: its report may have switched between the
 * two reads, and no position may be missed.
 */
export async function shownIn(db: Db, cusips: readonly Cusip[], quarterEnd: QuarterEnd): Promise<Shown[]> {
  const found = await Promise.all(cusips.map((cusip) => positions.ofSecurity(db, cusip, quarterEnd)));
  const all = found.flat();
  const reports = await reportsOfQuarter(
    db,
    quarterEnd,
    all.map(({ cik }) => cik),
  );
  const current = all.filter(({ cik, digest }) => digest === reports.get(cik)?.digest);
  const settled = new Set(current.map((position) => position.cik));
  const unsettled = [...reports.values()].filter((report) => !settled.has(report.cik));
  return joined([...current, ...(await positionsUnder(db, cusips, unsettled))], reports);
}

/** The same of one manager's report. */
export async function shownOf(db: Db, cusips: readonly Cusip[], report: ShowingReport): Promise<Shown[]> {
  return joined(await positionsUnder(db, cusips, [report]), new Map([[report.cik, report]]));
}

async function positionsUnder(db: Db, cusips: readonly Cusip[], reports: readonly ShowingReport[]) {
  return (await Promise.all(cusips.map((cusip) => positions.ofReports(db, cusip, reports)))).flat();
}

function joined(found: readonly ManagerPosition[], reports: ReadonlyMap<Cik, ShowingReport>): Shown[] {
  return found.flatMap((position) => {
    const report = reports.get(position.cik);
    return report === undefined ? [] : [{ position, report }];
  });
}
