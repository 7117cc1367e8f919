import type { Binary, Db } from 'mongodb';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import type { Eligibility, Leader } from '../../domain/leaderboard/rank.ts';
import { type AppError, unavailable } from '../../errors.ts';
import { invalidate } from '../invalidation/invalidate.ts';
import { invalidationsIn } from '../invalidation/invalidation.ts';
import { unpack } from '../mongo/pack.ts';
import { pageIds, pagesIn, type Range } from '../mongo/pages.ts';
import { publishedCorpus } from './corpus.ts';

/** Leaders per page: the largest page of `/copy/leaderboard`, so that a request reads two at most. */
export const BOARD_PAGE_ROWS = 100;
/** The one key of its kind in `invalidations` that is ever pending: every changed report invalidates it. */
export const BOARD_KEY = 'all';

/** A ranked manager with the names that it has in `/funds`. */
export type NamedLeader = Leader & {
  readonly name: string;
  readonly slug: string;
  readonly manager: string | null;
};

export type StoredWindow = {
  readonly window: number;
  /** Of the leaders; part of the ids of their pages. */
  readonly digest: string;
  /** Of all that decides the window. */
  readonly inputs: string;
  readonly total: number;
  readonly from: QuarterEnd;
  readonly to: QuarterEnd;
  readonly eligibility: Eligibility;
};

/** The state of the whole leaderboard: replacing it switches all windows at once. */
export type BoardDoc = {
  _id: 'leaderboard';
  method: string;
  asOf: IsoDate;
  /** Version of the invalidation that it was computed for; only moves forward. */
  version: number;
  /** When it was computed. */
  at: string;
  /** `StoredWindow[]`, packed. */
  windows: Binary;
  /** Pages of the board shown before, for readers that are halfway. */
  previous: string[];
};

export const boardIn = (db: Db) => db.collection<BoardDoc>('leaderboard');

export const boardPages = pagesIn<NamedLeader>('leaderboard_pages', BOARD_PAGE_ROWS);

/** The list of pages that a window's leaders are on. */
export function boardList({ window, digest }: Pick<StoredWindow, 'window' | 'digest'>): string {
  return `${window}|${digest}`;
}

export function pagesOfWindow(window: StoredWindow): string[] {
  return pageIds(boardList(window), Math.ceil(window.total / BOARD_PAGE_ROWS));
}

export type BoardPage = Awaited<ReturnType<typeof readBoard>>;

/**
 * Leaders `[from, from + count)` of a window, empty past the end: three documents at most. Throws
 * `leaderboard_unpublished` (503) before the first computation by this method: a board of an
 * earlier method is not shown under its name.
 */
export async function readBoard(db: Db, window: number, range: Range) {
  const board = await boardIn(db).findOne({ _id: 'leaderboard' });
  const stored = windowsOf(board).find((one) => one.window === window);
  if (board?.method !== METHOD_VERSION || stored === undefined) {
    throw unavailable('leaderboard_unpublished', 'no leaderboard is published yet', {
      public: 'The leaderboard is being computed for the first time. Ask again.',
    });
  }
  const leaders = await boardPages.readRange(db, { id: boardList(stored), total: stored.total }, range);
  if (leaders !== null) return { ...stored, asOf: board.asOf, leaders };
  throw boardInMotion('the pages of the leaderboard are being replaced');
}

/** `leaderboard_in_motion` (503, retryable). */
export function boardInMotion(message: string): AppError {
  return unavailable('leaderboard_in_motion', message, {
    public: 'The leaderboard is being replaced at this moment. Ask again.',
  });
}

export function windowsOf(board: BoardDoc | null): StoredWindow[] {
  return board === null ? [] : unpack<StoredWindow[]>(board.windows);
}

/** Call it after reports changed. */
export async function invalidateBoard(db: Db): Promise<void> {
  await invalidate(db, 'leaderboard', [BOARD_KEY]);
}

/** What the board has to be computed for. */
export type BoardDue = { readonly asOf: IsoDate; readonly version: number };

/**
 * Due when a report changed, the published day moved or the method changed; else null. Never due
 * before the corpus is published.
 */
export async function leaderboardDue(db: Db): Promise<BoardDue | null> {
  const asOf = (await publishedCorpus(db))?.corpus.asOf;
  if (asOf === undefined) return null;
  const [invalidation, board] = await Promise.all([
    invalidationsIn(db).findOne({ _id: `leaderboard|${BOARD_KEY}` }),
    boardIn(db).findOne({ _id: 'leaderboard' }, { projection: { asOf: 1, method: 1 } }),
  ]);
  const isCurrent = board?.asOf === asOf && board.method === METHOD_VERSION && invalidation?.pending !== true;
  return isCurrent ? null : { asOf, version: Number(invalidation?.version ?? 0) };
}
