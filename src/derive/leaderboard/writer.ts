import type { Db } from 'mongodb';
import { newestDueQuarter } from '../../domain/calendar.ts';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import type { Cik } from '../../domain/ids.ts';
import { METHOD_VERSION } from '../../domain/leaderboard/method.ts';
import { type Leader, leaderboardOf } from '../../domain/leaderboard/rank.ts';
import { seriesBuilder } from '../../domain/leaderboard/series.ts';
import { LAG_QUARTERS, WINDOW_MAX, WINDOW_MIN } from '../../domain/leaderboard/thresholds.ts';
import { quartersThrough } from '../../domain/quarter.ts';
import { digestOf, pack } from '../../store/mongo/pack.ts';
import { replaceUnlessNewer } from '../../store/mongo/write.ts';
import {
  type BoardDoc,
  type BoardDue,
  boardIn,
  boardList,
  boardPages,
  type NamedLeader,
  pagesOfWindow,
  type StoredWindow,
  windowsOf,
} from '../../store/publish/leaderboard.ts';
import { fundsById } from '../../store/report/funds.ts';
import { leaderboardQuarter } from './quarters.ts';

/**
 * Computes every window and shows them. Quarters are read one after another, the oldest first, so that
 * three of them are in memory. Pages are written under the digest of their leaders, then the one
 * document that points at them.
 * @param at when it is computed, ISO 8601 UTC
 */
export async function refreshLeaderboard(db: Db, due: BoardDue, at: string): Promise<void> {
  const latest = newestDueQuarter(due.asOf);
  const builder = seriesBuilder();
  for (const quarterEnd of quartersThrough(latest, WINDOW_MAX + LAG_QUARTERS)) {
    builder.add(await leaderboardQuarter(db, quarterEnd, due.asOf));
  }
  const series = { funds: builder.funds(), benchmarked: builder.benchmarked(), latest };
  const windows: StoredWindow[] = [];
  for (let window = WINDOW_MIN; window <= WINDOW_MAX; window += 1) {
    const { leaders, ...board } = leaderboardOf({ ...series, window });
    const named = await withNames(db, leaders);
    const stored = { window, ...board, digest: digestOf(named), total: named.length };
    await boardPages.write(db, boardList(stored), named);
    windows.push(stored);
  }
  await showBoard(db, windows, { ...due, at });
}

type Dated = BoardDue & { readonly at: string };

/** Shows the windows unless those of a later version are shown, and drops pages that no reader needs any more. */
async function showBoard(db: Db, windows: readonly StoredWindow[], dated: Dated): Promise<void> {
  const before = await boardIn(db).findOne({ _id: 'leaderboard' });
  const previous = windowsOf(before).flatMap(pagesOfWindow);
  const contents = { method: METHOD_VERSION, windows: pack(windows), previous };
  const board: BoardDoc = { _id: 'leaderboard', ...contents, ...dated };
  if (!(await replaceUnlessNewer(boardIn(db), board))) return;
  const kept = new Set([...windows.flatMap(pagesOfWindow), ...previous]);
  await boardPages.drop(
    db,
    (before?.previous ?? []).filter((page) => !kept.has(page)),
  );
}

async function withNames(db: Db, leaders: readonly Leader[]): Promise<NamedLeader[]> {
  const funds = await fundsById(
    db,
    leaders.map(({ cik }) => cik),
  );
  return leaders.map((leader) => ({ ...leader, ...nameOf(leader.cik, funds.get(leader.cik)) }));
}

type Named = Pick<NamedLeader, 'name' | 'slug' | 'manager'>;

/** A fund is written before its reports invalidate the board. One that is gone invalidated it again. */
function nameOf(cik: Cik, fund: Named | undefined): Named {
  const { name, slug, manager } = fund ?? { name: cik, slug: cik, manager: null };
  return { name, slug, manager: manager ?? curatedManagerOf(cik)?.name ?? null };
}
