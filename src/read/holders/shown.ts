import type { Db } from 'mongodb';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { options, positions } from '../../store/report/positions.ts';
import { reportsOfQuarter, type ShowingReport } from '../../store/report/reports.ts';
import type { Sliced, SlicedRows } from '../../store/report/slices.ts';
import type { Shown } from './among.ts';

type Asked = {
  readonly cusips: readonly Cusip[];
  readonly quarterEnd: QuarterEnd;
  /** Some that were read already, of any quarters. */
  readonly reports?: readonly ShowingReport[];
};

/**
 * The rows of a security in a quarter, each under the digest that its report shows. A manager with
 * only other digests is read again under the digest shown: its report may have switched between the
 * two reads, and no position may be missed.
 */
async function readShown<Row>(
  db: Db,
  rows: SlicedRows<Row>,
  { cusips, quarterEnd, ...read }: Asked,
): Promise<Shown<Sliced<Row>>[]> {
  const found = await Promise.all(cusips.map((cusip) => rows.ofSecurity(db, cusip, quarterEnd)));
  const all = found.flat();
  const ciks = new Set(all.map(({ cik }) => cik));
  const known = (read.reports ?? []).filter((one) => one.quarterEnd === quarterEnd && ciks.has(one.cik));
  const reports = new Map(known.map((report) => [report.cik, report]));
  const missing = [...ciks].filter((cik) => !reports.has(cik));
  for (const [cik, report] of await reportsOfQuarter(db, quarterEnd, missing)) reports.set(cik, report);
  const current = all.filter(({ cik, digest }) => digest === reports.get(cik)?.digest);
  const settled = new Set(current.map((position) => position.cik));
  const unsettled = [...reports].filter(([cik]) => !settled.has(cik));
  const again = await rowsUnder(db, rows, { cusips, reports: new Map(unsettled) });
  return joined([...current, ...again], reports);
}

/** The changes of a security in a quarter. */
export function shownIn(db: Db, cusips: readonly Cusip[], quarterEnd: QuarterEnd): Promise<Shown[]> {
  return readShown(db, positions, { cusips, quarterEnd });
}

/** The same of options on it. */
export function optionsIn(db: Db, asked: Asked) {
  return readShown(db, options, asked);
}

/** The reports of some managers, and the rows of a security in them. */
type Among = { readonly cusips: readonly Cusip[]; readonly reports: ReadonlyMap<Cik, ShowingReport> };

export async function readAmong(db: Db, among: Among): Promise<Shown[]> {
  return joined(await rowsUnder(db, positions, among), among.reports);
}

/** The positions of a security in one manager's report. */
export function shownOf(db: Db, cusips: readonly Cusip[], report: ShowingReport): Promise<Shown[]> {
  return readAmong(db, { cusips, reports: new Map([[report.cik, report]]) });
}

async function rowsUnder<Row>(db: Db, rows: SlicedRows<Row>, { cusips, reports }: Among) {
  const keys = [...reports.values()];
  return (await Promise.all(cusips.map((cusip) => rows.ofReports(db, cusip, keys)))).flat();
}

function joined<Row>(
  found: readonly Sliced<Row>[],
  reports: ReadonlyMap<Cik, ShowingReport>,
): Shown<Sliced<Row>>[] {
  return found.flatMap((position) => {
    const report = reports.get(position.cik);
    return report === undefined ? [] : [{ position, report }];
  });
}
