import type { AnyBulkWriteOperation, Binary, Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import type { Eligibility, Leader } from '../../domain/leaderboard/rank.ts';
import { WINDOW_MAX } from '../../domain/leaderboard/thresholds.ts';
import { unavailable } from '../../errors.ts';
import { invalidate } from '../invalidation/invalidate.ts';
import { invalidationsIn } from '../invalidation/invalidation.ts';
import { pack, unpack } from '../mongo/pack.ts';
import type { Range } from '../mongo/pages.ts';
import { JOURNALED, placesOfDuplicates } from '../mongo/write.ts';
import { publishedCorpus } from './corpus.ts';

/** The largest page of `/copy/leaderboard`, so that a request unpacks two at most. */
const PAGE_ROWS = 100;
/** The one key of its kind in `invalidations` that is ever pending: every changed report invalidates it. */
export const BOARD_KEY = 'all';

/** A ranked manager with the names that it has in `/funds`. */
export type NamedLeader = Leader & {
  readonly name: string;
  readonly slug: string;
  readonly manager: string | null;
};

/** What stands beside the leaders of a window. */
type BoardHead = {
  readonly window: number;
  readonly total: number;
  readonly from: QuarterEnd;
  readonly to: QuarterEnd;
  readonly eligibility: Eligibility;
};

/** A window as it is ranked. */
type RankedWindow = Omit<BoardHead, 'total'> & { readonly leaders: readonly NamedLeader[] };

/** What a window is shown for. `version`: of the invalidation, it only moves forward; `at`: when it was computed. */
type Dates = {
  readonly method: string;
  readonly asOf: IsoDate;
  readonly version: number;
  readonly at: string;
};

export type PackedWindow = {
  /** {@link BoardHead} */
  readonly head: Binary;
  /** `NamedLeader[]`, a page each. */
  readonly pages: readonly Binary[];
};

/** `inputs`: the digest of all that decides the window. */
type WindowDoc = Dates & PackedWindow & { readonly _id: string; readonly inputs: string };

export const boardIn = (db: Db) => db.collection<WindowDoc>('leaderboard');

const windowId = (window: number): string => String(window).padStart(2, '0');

/** The window that is written last: what it is shown for, all of them are. */
export const LAST_WINDOW = windowId(WINDOW_MAX);

/** The windows whose inputs are the stored ones. */
export async function sameWindows(db: Db, inputs: ReadonlyMap<number, string>): Promise<Set<number>> {
  const docs = await boardIn(db)
    .find({}, { projection: { inputs: 1 } })
    .toArray();
  const stored = new Map(docs.map((doc) => [doc._id, doc.inputs]));
  const same = [...inputs].filter(([window, own]) => stored.get(windowId(window)) === own);
  return new Set(same.map(([window]) => window));
}

/** A window, ranked again only if its inputs changed. */
type WantedWindow = {
  readonly window: number;
  readonly inputs: string;
  readonly ranked: PackedWindow | null;
};

/** Shows the windows, ascending, unless those of a later version are shown. */
export async function showWindows(
  db: Db,
  windows: readonly WantedWindow[],
  due: BoardDue & { readonly at: string },
): Promise<void> {
  const dates = { method: METHOD_VERSION, ...due };
  const writes = windows.map(({ window, inputs, ranked }): AnyBulkWriteOperation<WindowDoc> => {
    const filter = { _id: windowId(window), version: { $lte: due.version } };
    if (ranked === null) return { updateOne: { filter, update: { $set: dates } } };
    return { replaceOne: { filter, replacement: { ...dates, inputs, ...ranked }, upsert: true } };
  });
  try {
    await boardIn(db).bulkWrite(writes, { ordered: true, writeConcern: JOURNALED });
  } catch (error) {
    // A later version is shown, or another first one at the same moment: then the board stays due.
    placesOfDuplicates(error);
  }
}

/** Packed at once: all windows together are large. */
export function packedWindow({ leaders, ...head }: RankedWindow): PackedWindow {
  const pages = [...batches(leaders, PAGE_ROWS)].map(pack);
  return { head: pack({ ...head, total: leaders.length } satisfies BoardHead), pages };
}

export type BoardPage = Awaited<ReturnType<typeof readBoard>>;

/**
 * Leaders `[from, from + count)` of a window, empty past the end. Throws `leaderboard_unpublished` (503) before the
 * first computation by this method: a board of an earlier method is not shown under its name.
 */
export async function readBoard(db: Db, window: number, { from, count }: Range) {
  const first = Math.floor(from / PAGE_ROWS);
  const slice = [first, Math.ceil((from + count) / PAGE_ROWS) - first];
  // A window of all managers has megabytes.
  const projection = { pages: { $slice: slice } };
  const doc = await boardIn(db).findOne({ _id: windowId(window) }, { projection });
  if (doc?.method !== METHOD_VERSION) {
    throw unavailable('leaderboard_unpublished', 'no leaderboard is published yet', {
      public: 'The leaderboard is being computed for the first time. Ask again.',
    });
  }
  const leaders = doc.pages.flatMap((page) => unpack<NamedLeader[]>(page));
  const skipped = from - first * PAGE_ROWS;
  const page = leaders.slice(skipped, skipped + count);
  return { ...unpack<BoardHead>(doc.head), asOf: doc.asOf, leaders: page };
}

/** Call it after reports changed. */
export async function invalidateBoard(db: Db): Promise<void> {
  await invalidate(db, 'leaderboard', [BOARD_KEY]);
}

/** What the board has to be computed for. */
export type BoardDue = Pick<Dates, 'asOf' | 'version'>;

/**
 * Due when a report changed, the published day moved or the method changed; else null. Never due
 * before the corpus is published.
 */
export async function leaderboardDue(db: Db): Promise<BoardDue | null> {
  const asOf = (await publishedCorpus(db))?.corpus.asOf;
  if (asOf === undefined) return null;
  const [invalidation, board] = await Promise.all([
    invalidationsIn(db).findOne({ _id: `leaderboard|${BOARD_KEY}` }),
    boardIn(db).findOne({ _id: LAST_WINDOW }, { projection: { asOf: 1, method: 1 } }),
  ]);
  const isCurrent = board?.asOf === asOf && board.method === METHOD_VERSION && invalidation?.pending !== true;
  return isCurrent ? null : { asOf, version: Number(invalidation?.version ?? 0) };
}
