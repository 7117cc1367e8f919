import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import type { IsoDate } from '../../domain/ids.ts';
import { eventsIn } from '../../store/filing/events.ts';
import { countIgnored } from '../../store/filing/failures.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';
import { backfillState } from '../../store/filing/index-days.ts';
import { isImported, publishedAsOf, REFERENCE_RUN } from '../../store/filing/settings.ts';
import { countPending, hasUnsettled } from '../../store/invalidation/invalidation.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { currentBriefsIn } from '../../store/publish/current-briefs.ts';
import { leaderboardDue } from '../../store/publish/leaderboard.ts';
import { computeCorpus } from './corpus.ts';

export type PipelineProgress = Awaited<ReturnType<typeof pipelineProgress>>;

/**
 * The progress of the pipeline, from the database alone. It counts what is pending or quarantined by an
 * index, and takes the rest from the size of a collection, so it costs the same however much is stored.
 * These sizes may be off by a few filings after a crash of MongoDB. What is pending, and `done`, are exact.
 *
 * Reads in the order of the flow, one stage after another. What moves on in the meantime is found in a
 * later stage, so that `done` is never true too early.
 */
export async function pipelineProgress(db: Db) {
  const [asOf, backfill] = [await publishedAsOf(db), await backfillState(db)];
  const daysLeft = backfill?.left.length ?? 0;
  const daysHeld = backfill?.held.length ?? 0;
  const isRead = backfill !== null && backfill.through === asOf && daysLeft + daysHeld === 0;
  const { waiting, ...filings } = await filingsByState(db);
  const pendingEvents = await filingsIn(db).countDocuments({ event: 'pending' });
  const pendingFollowers = await filingsIn(db).countDocuments({ derive: 'pending' });
  const reports = await countPending(db, 'report');
  const quarters = await countPending(db, 'peers');
  const isUnsettled = reports + quarters > 0 || (await hasUnsettled(db));
  const issuers = await countPending(db, 'insider');
  const isSettled = waiting + pendingEvents + pendingFollowers + issuers === 0 && !isUnsettled;
  // Before the briefs, because a publication invalidates them.
  const published = isRead && isSettled && (await isPublished(db, asOf));
  const briefs = await countPending(db, 'brief');
  const unindexed = (await countPending(db, 'holders')) + (await countPending(db, 'search'));
  const isBoardDue = (await leaderboardDue(db)) !== null;
  return {
    as_of: asOf,
    ...filings,
    events: await eventsIn(db).estimatedDocumentCount(),
    pending_events: pendingEvents,
    pending_reports: reports,
    /** Quarters whose peers have to be computed again. */
    pending_peers: quarters,
    pending_issuers: issuers,
    pending_briefs: briefs,
    /** Parts of the search index, and quarters of them whose holders have to be counted. */
    pending_search: unindexed,
    /** The leaderboard shown is not that of the published day and the current reports. */
    leaderboard_due: isBoardDue,
    briefs: await currentBriefsIn(db).estimatedDocumentCount(),
    /** Every listed day was read, nothing that briefs rest on is pending, and the published corpus is current. */
    published,
    index_days_left: daysLeft,
    /** Days whose indexes wait until data sets are imported. */
    index_days_held: daysHeld,
    /** Nothing is pending in any stage either, and the leaderboard is current. */
    done: published && briefs + unindexed === 0 && !isBoardDue,
  };
}

/** `waiting`: to be fetched or parsed. */
async function filingsByState(db: Db) {
  const inState = (state: FilingDoc['state']): Promise<number> => filingsIn(db).countDocuments({ state });
  const [unfetched, unparsed] = [await inState('discovered'), await inState('fetched')];
  const [quarantined, ignored] = [await inState('quarantined'), await countIgnored(db)];
  const waiting = unfetched + unparsed;
  const discovered = Math.max(await filingsIn(db).estimatedDocumentCount(), waiting + quarantined);
  return {
    waiting,
    /** Filings noted so far, in any state. */
    discovered,
    fetched: discovered - unfetched,
    parsed: discovered - waiting - quarantined,
    quarantined: quarantined - ignored,
    /** Quarantined filings that an operator keeps out of the list and of coverage. */
    ignored,
  };
}

/** The reference data was read, and the published corpus is that of the day and of the database now. */
async function isPublished(db: Db, asOf: IsoDate | null): Promise<boolean> {
  const published = await publishedCorpus(db);
  if (published?.corpus.asOf !== asOf) return false;
  if (published === null || !published.followersInvalidated) return false;
  if (!(await isImported(db, REFERENCE_RUN))) return false;
  return isDeepStrictEqual(published.corpus, await computeCorpus(db, published.corpus.asOf));
}
