import { type Binary, type Collection, type Db, MongoServerError } from 'mongodb';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import type { Eligibility, Leader } from '../../domain/leaderboard/rank.ts';
import { AppError } from '../../errors.ts';
import { invalidationsIn } from '../invalidation/invalidations.ts';
import { unpack } from '../mongo/packed.ts';
import { publishedCorpus } from './corpus.ts';

/** Leaders on a stored page: the largest page of `/copy/leaderboard`, so a request reads two at most. */
export const BOARD_PAGE_ROWS = 100;
/** The one key of its kind in `dirty`: every changed report marks it. */
export const BOARD_KEY = 'all';

/** A ranked manager with the names that it has in `/funds`. */
export type NamedLeader = Leader & {
  readonly name: string;
  readonly slug: string;
  readonly manager: string | null;
};

export type StoredWindow = {
  readonly window: number;
  /** Hash of the leaders; part of the pages' ids. */
  readonly digest: string;
  readonly total: number;
  readonly from: QuarterEnd;
  readonly to: QuarterEnd;
  readonly eligibility: Eligibility;
};

export type PageDoc = { _id: string; leaders: Binary };

/** The state of the whole leaderboard: switching it switches all windows at once. */
export type BoardDoc = {
  _id: 'leaderboard';
  method: string;
  asOf: IsoDate;
  version: number;
  /** When it was computed. */
  at: string;
  /** `StoredWindow[]`, packed. */
  windows: Binary;
  /** Pages of the board shown before, for readers that are halfway. */
  previous: string[];
};

export function boardIn(db: Db): Collection<BoardDoc> {
  return db.collection<BoardDoc>('leaderboard');
}

export function boardPagesIn(db: Db): Collection<PageDoc> {
  return db.collection<PageDoc>('leaderboard_pages');
}

export function pagesOfWindow({
  window,
  digest,
  total,
}: Pick<StoredWindow, 'window' | 'digest' | 'total'>): string[] {
  const count = Math.ceil(total / BOARD_PAGE_ROWS);
  return Array.from({ length: count }, (_, page) => `${window}|${digest}|${String(page).padStart(4, '0')}`);
}

export type BoardPage = StoredWindow & { readonly asOf: IsoDate; readonly leaders: readonly NamedLeader[] };

/**
 * Leaders `[from, from + count)` of a window, empty past the end: three documents at most. Throws
 * `leaderboard_unpublished` (503) before the first computation.
 */
export async function readBoard(
  db: Db,
  window: number,
  range: { readonly from: number; readonly count: number },
): Promise<BoardPage> {
  const board = await boardIn(db).findOne({ _id: 'leaderboard' });
  const stored = windowsOf(board).find((one) => one.window === window);
  if (board === null || stored === undefined) {
    throw new AppError('leaderboard_unpublished', 'no leaderboard is published yet', {
      status: 503,
      retry: true,
      public: 'The leaderboard is being computed for the first time. Ask again.',
    });
  }
  return { ...stored, asOf: board.asOf, leaders: await readLeaders(db, stored, range) };
}

export function windowsOf(board: BoardDoc | null): StoredWindow[] {
  return board === null ? [] : unpack<StoredWindow[]>(board.windows);
}

async function readLeaders(
  db: Db,
  stored: StoredWindow,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<NamedLeader[]> {
  const { total } = stored;
  if (from >= total) return [];
  const first = Math.floor(from / BOARD_PAGE_ROWS);
  const last = Math.floor((from + count - 1) / BOARD_PAGE_ROWS);
  const ids = pagesOfWindow(stored).slice(first, last + 1);
  const pages = await boardPagesIn(db)
    .find({ _id: { $in: ids } })
    .sort({ _id: 1 })
    .toArray();
  const leaders = pages.flatMap((page) => unpack<NamedLeader[]>(page.leaders));
  const slice = leaders.slice(from - first * BOARD_PAGE_ROWS, from - first * BOARD_PAGE_ROWS + count);
  if (slice.length === Math.min(count, total - from)) return slice;
  throw new AppError('leaderboard_in_motion', 'the pages of the leaderboard are being replaced', {
    status: 503,
    retry: true,
    public: 'The leaderboard is being replaced at this moment. Ask again.',
  });
}

/** Shows the board unless one of a later version is shown. */
export async function switchBoard(db: Db, board: BoardDoc): Promise<boolean> {
  const { _id, ...fields } = board;
  try {
    const result = await boardIn(db).replaceOne({ _id, version: { $lte: board.version } }, fields, {
      upsert: true,
    });
    return result.matchedCount + result.upsertedCount > 0;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === 11000) return false;
    throw error;
  }
}

/** What the board is to be computed for; null while the one that is shown is right. */
export type BoardDue = { readonly asOf: IsoDate; readonly version: number };

/** Due when a report changed, the published day moved or the method did. Never before the corpus is published. */
export async function leaderboardDue(db: Db): Promise<BoardDue | null> {
  const asOf = (await publishedCorpus(db))?.corpus.asOf;
  if (asOf === undefined) return null;
  const [mark, board] = await Promise.all([
    invalidationsIn(db).findOne({ _id: `leaderboard|${BOARD_KEY}` }),
    boardIn(db).findOne({ _id: 'leaderboard' }, { projection: { asOf: 1, method: 1 } }),
  ]);
  const isRight = board?.asOf === asOf && board.method === METHOD_VERSION && mark?.pending !== true;
  return isRight ? null : { asOf, version: Number(mark?.version ?? 0) };
}

/** When the board that is shown was computed; null before the first one. */
export async function boardComputedAt(db: Db): Promise<string | null> {
  const board = await boardIn(db).findOne({ _id: 'leaderboard' }, { projection: { at: 1 } });
  return board?.at ?? null;
}
