import { isDeepStrictEqual } from 'node:util';
import type { Db, Filter } from 'mongodb';
import { backfillState } from './backfill-state.ts';
import { briefHeadsIn } from './briefs.ts';
import { computeCorpus, publishedCorpus } from './corpus.ts';
import { countDirty } from './dirty.ts';
import { eventsIn } from './events.ts';
import { type FilingDoc, filingsIn } from './filings.ts';
import { isImported, REFERENCE_RUN } from './imports.ts';
import { publishedAsOf } from './settings.ts';

/** How far the pipeline is, from the database alone. */
export type PipelineStatus = {
  readonly as_of: string | null;
  /** Filings noted so far, whatever became of them. */
  readonly discovered: number;
  readonly fetched: number;
  readonly parsed: number;
  readonly quarantined: number;
  readonly filings_13f: number;
  readonly filings_form4: number;
  readonly holdings_rows: number;
  readonly events: number;
  readonly pending_events: number;
  readonly dirty_reports: number;
  readonly dirty_briefs: number;
  readonly briefs: number;
  readonly index_days_left: number;
  /** Nothing is pending in any stage, every listed day was read, the corpus is published. */
  readonly done: boolean;
};

export async function pipelineStatus(db: Db): Promise<PipelineStatus> {
  const count = (filter: Filter<FilingDoc>): Promise<number> => filingsIn(db).countDocuments(filter);
  const [discovered, waiting, fetched, quarantined] = await Promise.all([
    count({}),
    count({ state: 'discovered' }),
    count({ state: 'fetched' }),
    count({ state: 'quarantined' }),
  ]);
  const [thirteenF, form4, rows, pendingEvents, pendingFollowers] = await Promise.all([
    count({ state: 'parsed', issuerCik: null }),
    count({ state: 'parsed', issuerCik: { $ne: null } }),
    sumRows(db),
    count({ event: 'pending' }),
    count({ derive: 'pending' }),
  ]);
  const [events, reports, briefs, heads, backfill] = await Promise.all([
    eventsIn(db).countDocuments(),
    countDirty(db, 'report'),
    countDirty(db, 'brief'),
    briefHeadsIn(db).countDocuments(),
    backfillState(db),
  ]);
  const asOf = await publishedAsOf(db);
  const pending = waiting + fetched + pendingEvents + pendingFollowers + reports + briefs;
  const daysLeft = backfill?.daysLeft ?? 0;
  const isRead = backfill !== null && backfill.through === asOf && daysLeft === 0;
  return {
    as_of: asOf,
    discovered,
    fetched: discovered - waiting,
    parsed: thirteenF + form4,
    quarantined,
    filings_13f: thirteenF,
    filings_form4: form4,
    holdings_rows: rows,
    events,
    pending_events: pendingEvents,
    dirty_reports: reports,
    dirty_briefs: briefs,
    briefs: heads,
    index_days_left: daysLeft,
    done: pending === 0 && isRead && (await isPublished(db)),
  };
}

/** Rows of all information tables as filed. */
async function sumRows(db: Db): Promise<number> {
  const [total] = await filingsIn(db)
    .aggregate<{ rows: number }>([
      { $match: { state: 'parsed', issuerCik: null } },
      { $group: { _id: null, rows: { $sum: '$thirteenF.rowCount' } } },
    ])
    .toArray();
  return Number(total?.rows ?? 0);
}

/** The reference data was read, and the published corpus says what the database says now. */
async function isPublished(db: Db): Promise<boolean> {
  const published = await publishedCorpus(db);
  if (published === null || !published.marked || !(await isImported(db, REFERENCE_RUN))) return false;
  return isDeepStrictEqual(published.corpus, await computeCorpus(db, published.corpus.asOf));
}

/** The current brief of the ticker with the most managers observed, ties alphabetical (contract 7). */
export async function mostObserved(db: Db): Promise<{ ticker: string; briefId: string } | null> {
  const head = await briefHeadsIn(db).find().sort({ managersObserved: -1, _id: 1 }).limit(1).next();
  return head === null ? null : { ticker: head._id, briefId: head.briefId };
}
