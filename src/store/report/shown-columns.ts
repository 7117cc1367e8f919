import type { Db } from 'mongodb';
import type { Names } from '../../domain/columns/room.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { type ShownQuarter, type ShownReport, shownQuarter } from '../../domain/report/shown-quarter.ts';
import { reportId } from '../filing/filings.ts';
import { columnsCache, type SeenReport, type Standing } from './columns-cache.ts';
import { inMotion, readRowsOf, type StoredHolding } from './holdings.ts';
import { type QuarterReport, quarterReports } from './quarter-reports.ts';
import type { ReportDoc } from './reports.ts';

/** What is read of a report that is shown. */
type ShownSeen = SeenReport & Pick<ReportDoc, 'pageCount'>;

const overQuarters = columnsCache<ShownSeen, ShownReport, ShownQuarter>({
  emptyQuarter: shownQuarter,
  read: readShown,
  maxRows: 7_000_000,
  // The latest one, and the one before it, from which late managers are carried forward.
  minQuarters: 2,
});

/** The reports of a quarter as they are shown now. */
export async function shownReports(db: Db, quarterEnd: QuarterEnd): Promise<Standing<ShownSeen>> {
  return standingOf(quarterEnd, await quarterReports(db, quarterEnd));
}

/** The same of all reports of the quarter, as they were read. */
export function standingOf(quarterEnd: QuarterEnd, reports: readonly QuarterReport[]): Standing<ShownSeen> {
  const seen = reports.map(({ cik, digest, pageCount, holdingsCount }): [Cik, ShownSeen] => [
    cik,
    { digest, pageCount, rows: holdingsCount },
  ]);
  return { quarterEnd, reports: new Map(seen) };
}

/**
 * Computes something from these reports. Throws `report_in_motion` (503, retryable) when one was replaced
 * before it was read.
 */
export async function overShownQuarter<T>(
  db: Db,
  shown: Standing<ShownSeen>,
  compute: (quarter: ShownQuarter, names: Names) => T,
): Promise<T> {
  const computed = await overQuarters(db, [shown], ([quarter], names) =>
    compute(quarter as ShownQuarter, names),
  );
  if (computed.kind === 'computed') return computed.answer;
  throw inMotion(computed.reports.join(', '));
}

async function readShown(db: Db, quarterEnd: QuarterEnd, reports: readonly (readonly [Cik, ShownSeen])[]) {
  const ids = new Map(reports.map(([cik]) => [reportId({ cik, quarterEnd }), cik]));
  const docs = reports.map(([cik, seen]) => ({ _id: reportId({ cik, quarterEnd }), ...seen }));
  const rows = await readRowsOf(db, docs);
  return [...rows].map(([id, own]): ShownReport => ({ cik: ids.get(id) as Cik, rows: own.map(shownRow) }));
}

function shownRow({ cusip, issuer, shares, value_cents, prior_shares, quality }: StoredHolding) {
  return {
    cusip,
    issuer,
    amount: BigInt(shares),
    valueCents: BigInt(value_cents),
    priorAmount: BigInt(prior_shares),
    reasons: quality.reasons,
  };
}
