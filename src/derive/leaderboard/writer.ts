import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import type { Cik } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { type Leader, leaderboardOf } from '../../domain/leaderboard/rank.ts';
import { seriesBuilder } from '../../domain/leaderboard/series.ts';
import { LAG_QUARTERS, WINDOW_MAX, WINDOW_MIN } from '../../domain/leaderboard/thresholds.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { insertNew } from '../../store/mongo/insert-new.ts';
import { pack } from '../../store/mongo/packed.ts';
import {
  BOARD_PAGE_ROWS,
  type BoardDue,
  boardIn,
  boardPagesIn,
  type NamedLeader,
  pagesOfWindow,
  type StoredWindow,
  switchBoard,
  windowsOf,
} from '../../store/publish/leaderboard.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { leaderboardQuarter } from './quarters.ts';

/**
 * Computes every window and shows them. Quarters are read one after another, oldest first, so three
 * of them are in memory; pages are written under the hash of what they hold, then the one document
 * that points at them.
 */
export async function refreshLeaderboard(db: Db, due: BoardDue): Promise<void> {
  const latest = newestDueQuarter(due.asOf);
  const builder = seriesBuilder();
  for (const quarterEnd of quartersThrough(latest, WINDOW_MAX + LAG_QUARTERS)) {
    builder.add(await leaderboardQuarter(db, quarterEnd, due.asOf));
  }
  const series = { funds: builder.funds(), benchmarked: builder.benchmarked(), latest };
  const windows: StoredWindow[] = [];
  for (let window = WINDOW_MIN; window <= WINDOW_MAX; window += 1) {
    const { leaders, ...board } = leaderboardOf({ ...series, window });
    windows.push({ window, ...board, ...(await writePages(db, window, leaders)) });
  }
  const before = await boardIn(db).findOne({ _id: 'leaderboard' });
  const previous = windowsOf(before).flatMap(pagesOfWindow);
  const board = {
    _id: 'leaderboard' as const,
    method: METHOD_VERSION,
    ...due,
    at: new Date().toISOString(),
    windows: pack(windows),
    previous,
  };
  if (!(await switchBoard(db, board))) return;
  const kept = new Set([...windows.flatMap(pagesOfWindow), ...previous]);
  const dropped = (before?.previous ?? []).filter((page) => !kept.has(page));
  if (dropped.length > 0) await boardPagesIn(db).deleteMany({ _id: { $in: dropped } });
}

async function writePages(
  db: Db,
  window: number,
  leaders: readonly Leader[],
): Promise<Pick<StoredWindow, 'digest' | 'total'>> {
  const named = await withNames(db, leaders);
  const digest = sha256Hex(canonicalJson(named)).slice(0, 24);
  const total = named.length;
  const ids = pagesOfWindow({ window, digest, total });
  const pages = ids.map((_id, page) => ({
    _id,
    leaders: pack(named.slice(page * BOARD_PAGE_ROWS, (page + 1) * BOARD_PAGE_ROWS)),
  }));
  await insertNew(boardPagesIn(db), pages);
  return { digest, total };
}

async function withNames(db: Db, leaders: readonly Leader[]): Promise<NamedLeader[]> {
  if (leaders.length === 0) return [];
  const funds = await fundsIn(db)
    .find({ _id: { $in: leaders.map(({ cik }) => cik) } })
    .toArray();
  const byCik = new Map(funds.map((fund) => [fund._id, fund]));
  return leaders.map((leader) => ({ ...leader, ...nameOf(leader.cik, byCik.get(leader.cik)) }));
}

type Named = { readonly name: string; readonly slug: string; readonly manager: string | null };

/** The line of a fund is written before its reports mark the board; one that went since marks it again. */
function nameOf(cik: Cik, fund: Named | undefined): Named {
  const { name, slug, manager } = fund ?? { name: cik, slug: cik, manager: null };
  return { name, slug, manager: manager ?? curatedManagerOf(cik)?.name ?? null };
}
