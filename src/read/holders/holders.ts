import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { type HolderList, holderList } from '../../domain/holders/holders.ts';
import type { Cusip, QuarterEnd, Ticker } from '../../domain/ids.ts';
import type { UnreadReport } from '../../store/filing/failures.ts';
import { knownInvalidation } from '../../store/invalidation/invalidation.ts';
import type { Publication } from '../../store/publish/corpus.ts';
import { currentHolders, holdersInQuarter } from './observations.ts';
import { securityHistory } from './security-history.ts';
import { unreadOfHolders, unreadSince } from './unread.ts';

type HoldersQuery = {
  readonly ticker: Ticker;
  readonly cusip: Cusip;
  readonly publication: Publication;
  /** Null: the latest of the corpus, with late managers carried forward. */
  readonly quarterEnd: QuarterEnd | null;
};

/** `basis`: what the list was computed from. It is returned again only for an equal basis. */
type Kept = { readonly basis: string; readonly list: Promise<ReadList> };

/** `unread`: filings of managers that held the security, which cannot be read. */
type ReadList = HolderList & { readonly unread: readonly UnreadReport[] };

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

async function load(db: Db, { cusip, publication, quarterEnd }: HoldersQuery): Promise<ReadList> {
  const { state, asOf } = publication.corpus;
  const latest = state.latestReportedQuarterEnd;
  if (quarterEnd !== null) {
    const { cusips } = await securityHistory(db, cusip, {
      reported: quarterEnd,
      latest: latest ?? quarterEnd,
    });
    const unread = await unreadOfHolders(db, { cusips, since: quarterEnd, asOf });
    const list = holderList(await holdersInQuarter(db, cusip, { quarterEnd, latest }), quarterEnd);
    return { ...list, unread: unread.filter((one) => one.quarterEnd === quarterEnd) };
  }
  const { holders, late, history } = await currentHolders(db, cusip, { state });
  const unread = await unreadSince(db, publication, { cusips: history?.cusips ?? [], late });
  return { ...holderList(holders, latest), unread };
}
