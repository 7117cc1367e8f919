import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { stoppedWords } from '../../domain/brief/words/holder-words.ts';
import { type HolderList, holderList } from '../../domain/holders/holders.ts';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import type { UnreadReport } from '../../store/filing/failures.ts';
import { knownInvalidation } from '../../store/invalidation/invalidation.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { lateManagers } from '../../store/report/last-held.ts';
import { currentHolders, holdersInQuarter } from './observations.ts';
import { securityHistory } from './security-history.ts';
import { stoppedBefore, unreadOfHolders, unreadSince } from './unread.ts';

type HoldersQuery = {
  readonly ticker: Ticker;
  readonly cusip: Cusip;
  readonly publication: Publication;
  /** Null: the latest of the corpus, with late managers carried forward. */
  readonly quarterEnd: QuarterEnd | null;
};

/** `basis`: what the list was computed from. It is returned again only for an equal basis. */
type Kept = { readonly basis: string; readonly list: Promise<ReadList> };

type ReadList = HolderList & {
  /** Filings of managers that held the security, which cannot be read. */
  readonly unread: readonly UnreadReport[];
  /** That managers that held the security count in no figure, because nothing of them is stored for the quarter. */
  readonly stopped: string | false;
};

/** About a kilobyte a row: thirty megabytes, six securities of 5,000 holders each. */
const MAX_ROWS = 30_000;

const kept = new WeakMap<Db, LRUCache<string, Kept>>();

/**
 * All holders of a security in display order. A list costs a read of every holder, so each process
 * keeps it until its basis changes: the publication of the corpus, or the invalidation of the ticker's
 * brief. Every change of a report that shows or showed the security gives it another stamp, in any quarter.
 * Both are read before the list, so a kept list is never older than its basis. It lags behind a report
 * as long as the brief does. A ticker that was never invalidated shares a read in progress and keeps
 * no list.
 */
export async function readHolders(db: Db, query: HoldersQuery): Promise<ReadList> {
  const invalidation = await knownInvalidation(db, 'brief', query.ticker);
  const basis = `${query.publication.at}|${invalidation?.version}|${invalidation?.stamp}`;
  const lists = kept.get(db) ?? new LRUCache<string, Kept>({ maxSize: MAX_ROWS });
  kept.set(db, lists);
  const key = `${query.cusip}|${query.quarterEnd ?? 'latest'}`;
  const known = lists.get(key);
  if (known?.basis === basis) return known.list;
  const entry = { basis, list: load(db, query) };
  const isShown = (): boolean => lists.peek(key) === entry;
  lists.set(key, entry, { size: 1 });
  try {
    const list = await entry.list;
    if (isShown() && invalidation === null) lists.delete(key);
    else if (isShown()) lists.set(key, { ...entry }, { size: Math.max(1, list.rows.length) });
    return list;
  } catch (error) {
    if (isShown()) lists.delete(key);
    throw error;
  }
}

function load(db: Db, query: HoldersQuery): Promise<ReadList> {
  const { quarterEnd } = query;
  return quarterEnd === null ? readLatest(db, query) : readQuarter(db, { ...query, quarterEnd });
}

async function readLatest(db: Db, { cusip, publication }: HoldersQuery): Promise<ReadList> {
  const { state } = publication.corpus;
  const { latestReportedQuarterEnd: latest } = state;
  const { holders, late, history } = await currentHolders(db, cusip, { state });
  const unread = await unreadSince(db, publication, { cusips: history?.cusips ?? [], late });
  const list = { ...holderList(holders, latest), unread };
  if (latest === null) return { ...list, stopped: false };
  const carried = state.filingWindow === 'open' ? previousQuarterEnd(latest) : null;
  const left = late.filter(({ quarterEnd }) => quarterEnd !== carried);
  return { ...list, stopped: stoppedWords(latest, stoppedBefore(latest, { late: left, unread })) };
}

type QuarterQuery = HoldersQuery & { readonly quarterEnd: QuarterEnd };

async function readQuarter(db: Db, { cusip, publication, quarterEnd }: QuarterQuery): Promise<ReadList> {
  const { state, asOf } = publication.corpus;
  const { latestReportedQuarterEnd: latest } = state;
  const { cusips } = await securityHistory(db, cusip, {
    reported: quarterEnd,
    latest: latest ?? quarterEnd,
  });
  const holders = await holdersInQuarter(db, cusip, { quarterEnd, latest });
  // Read after the holders: a manager that reports meanwhile is in neither. All are behind what nobody reported yet.
  const isReported = latest !== null && quarterEnd <= latest;
  const late = isReported ? await lateManagers(db, cusips, { latest: quarterEnd, by: 'held' }) : [];
  const unread = await unreadOfHolders(db, { cusips, since: quarterEnd, asOf, late });
  return {
    ...holderList(holders, quarterEnd),
    unread: unread.filter((one) => one.quarterEnd === quarterEnd),
    stopped: stoppedWords(quarterEnd, stoppedBefore(quarterEnd, { late, unread })),
  };
}
