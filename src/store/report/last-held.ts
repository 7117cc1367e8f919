import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { eachOf, findByIds, inLists } from '../mongo/lists.ts';
import { UNJOURNALED } from '../mongo/write.ts';
import { securitiesOf } from './holdings.ts';
import type { ListedReport } from './reports.ts';

/**
 * What each manager holds by its last table. A security finds the managers that are behind by this
 * index, so a brief costs nothing for managers that stopped reporting and never held its security.
 */
type LastHeldDoc = {
  _id: Cik;
  /** The latest quarter with a table, and the digest of its report. */
  quarterEnd: QuarterEnd;
  digest: string;
  /** The latest quarter with any report, a notice included. */
  reportedThrough: QuarterEnd;
  /** Of the equity positions with shares… */
  held: Cusip[];
  /** …and of those without: they were sold in that quarter. */
  exited: Cusip[];
};

const lastHeldIn = (db: Db) => db.collection<LastHeldDoc>('last_held');

/** A manager's last report with a table, and the latest quarter of any report. */
export type LastReport = {
  readonly latest: Pick<ListedReport, '_id' | 'cik' | 'quarterEnd' | 'digest' | 'pageCount' | 'rowTotal'>;
  readonly reportedThrough: QuarterEnd;
};

/** Writes what managers hold by their last tables, unless that is stored. Throws `report_in_motion` (retryable). */
export async function saveLastHeld(db: Db, lasts: readonly LastReport[]): Promise<void> {
  const ciks = lasts.map(({ latest }) => latest.cik);
  const found = await findByIds(lastHeldIn(db), ciks, { quarterEnd: 1, digest: 1, reportedThrough: 1 });
  const known = new Map(found.map((doc) => [doc._id, doc]));
  const changed = lasts.filter(({ latest, reportedThrough }) => {
    const { quarterEnd, digest } = latest;
    return !isDeepStrictEqual(known.get(latest.cik), {
      _id: latest.cik,
      quarterEnd,
      digest,
      reportedThrough,
    });
  });
  if (changed.length === 0) return;
  const reports = changed.map(({ latest }) => latest);
  const securities = await securitiesOf(db, reports);
  const writes = changed.map(({ latest, reportedThrough }) => {
    const { _id, cik, quarterEnd, digest } = latest;
    const { held = [], exited = [] } = securities.get(_id) ?? {};
    const replacement = { quarterEnd, digest, reportedThrough, held, exited };
    return { replaceOne: { filter: { _id: cik }, replacement, upsert: true } };
  });
  // Not journaled by itself: the report's followers are noted after it.
  await lastHeldIn(db).bulkWrite(writes, { ordered: false, writeConcern: UNJOURNALED });
}

export async function dropLastHeld(db: Db, cik: Cik): Promise<void> {
  await lastHeldIn(db).deleteOne({ _id: cik });
}

/** A manager that has not reported the latest quarter, with the quarters of its last table and of its last report. */
export type LateManager = Readonly<Pick<LastHeldDoc, 'quarterEnd' | 'reportedThrough'> & { cik: Cik }>;

type Late = {
  readonly latest: QuarterEnd;
  /** By which of the two lists. */
  readonly by: 'held' | 'exited';
};

/** The managers that have not reported `latest`, and hold, or sold, one of the CUSIPs by their last table. */
export async function lateManagers(db: Db, cusips: readonly Cusip[], { latest, by }: Late) {
  const late = new Map<Cik, LateManager>();
  for (const list of inLists(cusips)) {
    const where = { [by]: list, quarterEnd: { $lt: latest }, reportedThrough: { $lt: latest } };
    const wanted = { cik: '$_id', quarterEnd: '$quarterEnd', reportedThrough: '$reportedThrough' };
    for (const manager of await eachOf<LateManager, LastHeldDoc>(lastHeldIn(db), where, wanted))
      late.set(manager.cik, manager);
  }
  return [...late.values()];
}
