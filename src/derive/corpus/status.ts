import { isDeepStrictEqual } from 'node:util';
import type { Db } from 'mongodb';
import { eventsIn } from '../../store/filing/events.ts';
import { countIgnored } from '../../store/filing/failures.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';
import { isImported, REFERENCE_RUN } from '../../store/filing/imports.ts';
import { backfillState } from '../../store/filing/index-days.ts';
import { publishedAsOf } from '../../store/filing/settings.ts';
import { countPending, countUnsettled } from '../../store/invalidation/invalidations.ts';
import { currentBriefsIn } from '../../store/publish/briefs.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { leaderboardDue } from '../../store/publish/leaderboard.ts';
import { computeCorpus } from './corpus.ts';

export type PipelineStatus = Awaited<ReturnType<typeof pipelineStatus>>;

/**
 * The progress of the pipeline, from the database alone. Reads in the order of the flow, one stage after another. What moves on in the meantime is found in
 * a later stage, so that `done` is never true too early.
 */
export async function pipelineStatus(db: Db) {
  const [asOf, backfill] = [await publishedAsOf(db), await backfillState(db)];
  const totals = await totalsByState(db);
  const ignored = await countIgnored(db);
  const pendingEvents = await filingsIn(db).countDocuments({ event: 'pending' });
  const pendingFollowers = await filingsIn(db).countDocuments({ derive: 'pending' });
  const reports = await countPending(db, 'report');
  const quarters = await countPending(db, 'peers');
  const unsettled = reports + quarters + (await countUnsettled(db));
  const issuers = await countPending(db, 'insider');
  const published = await isPublished(db, asOf);
  const briefs = await countPending(db, 'brief');
  const unindexed = (await countPending(db, 'holders')) + (await countPending(db, 'search'));
  const isBoardDue = (await leaderboardDue(db)) !== null;
  const events = await eventsIn(db).countDocuments();
  const currentBriefs = await currentBriefsIn(db).countDocuments();
  const daysLeft = backfill?.left.length ?? 0;
  const isRead = backfill !== null && backfill.through === asOf && daysLeft === 0;
  const isIdle =
    totals.waiting + pendingEvents + pendingFollowers + unsettled + issuers + briefs + unindexed === 0;
  return {
    as_of: asOf,
    ...totals.counts,
    quarantined: totals.counts.quarantined - ignored,
    /** Quarantined filings that an operator keeps out of the list and of coverage. */
    ignored,
    events,
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
    briefs: currentBriefs,
    index_days_left: daysLeft,
    /** Nothing is pending in any stage, every listed day was read, corpus and leaderboard are current. */
    done: isIdle && isRead && published && !isBoardDue,
  };
}

type StateCount = { _id: Pick<FilingDoc, 'state' | 'leg'>; filings: number; rows: number };

/** One pass over the filings. `rows`: of all information tables as filed. */
async function totalsByState(db: Db) {
  const counts = await filingsIn(db)
    .aggregate<StateCount>([
      {
        $group: {
          _id: { state: '$state', leg: '$leg' },
          filings: { $sum: 1 },
          rows: { $sum: { $ifNull: ['$rows.count', 0] } },
        },
      },
    ])
    .toArray();
  const sum = (of: (count: StateCount) => boolean, field: 'filings' | 'rows'): number =>
    counts.filter(of).reduce((total, count) => total + Number(count[field]), 0);
  const inState = (state: FilingDoc['state']): number => sum(({ _id }) => _id.state === state, 'filings');
  const parsedOf = (leg: FilingDoc['leg']): number =>
    sum(({ _id }) => _id.state === 'parsed' && _id.leg === leg, 'filings');
  const [fetched, parsed, quarantined] = [inState('fetched'), inState('parsed'), inState('quarantined')];
  const waiting = inState('discovered') + fetched;
  return {
    waiting,
    counts: {
      /** Filings noted so far, in any state. */
      discovered: waiting + parsed + quarantined,
      fetched: fetched + parsed + quarantined,
      parsed,
      quarantined,
      filings_13f: parsedOf('thirteen_f'),
      filings_form4: parsedOf('form4'),
      holdings_rows: sum(({ _id }) => _id.state === 'parsed', 'rows'),
    },
  };
}

/** The reference data was read, and the published corpus is that of the day and of the database now. */
async function isPublished(db: Db, asOf: string | null): Promise<boolean> {
  const published = await publishedCorpus(db);
  if (published?.corpus.asOf !== asOf) return false;
  if (published === null || !published.followersInvalidated) return false;
  if (!(await isImported(db, REFERENCE_RUN))) return false;
  return isDeepStrictEqual(published.corpus, await computeCorpus(db, published.corpus.asOf));
}

/** The current brief of the ticker with the most managers observed, ties alphabetical (rule 11.10). */
export async function mostObserved(db: Db): Promise<{ ticker: string; briefId: string } | null> {
  const most = await currentBriefsIn(db).find().sort({ managersObserved: -1, _id: 1 }).limit(1).next();
  return most === null ? null : { ticker: most._id, briefId: most.briefId };
}
