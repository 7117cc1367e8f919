import type { Db } from 'mongodb';
import { curatedManagerOf } from '../../domain/filing/manager.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import type { NamedLeader } from '../../store/publish/leaderboard.ts';
import { fundsById, namesSince } from '../../store/report/funds.ts';

export type Named = Pick<NamedLeader, 'name' | 'slug' | 'manager'>;

/** What managers with a report of a quarter are called, in the order given. */
export async function namesOfManagers(
  db: Db,
  quarterEnd: QuarterEnd,
  ciks: readonly Cik[],
): Promise<Map<Cik, Named>> {
  const listed = new Map<Cik, Named>((await namesSince(db, quarterEnd)).map((fund) => [fund._id, fund]));
  // A report is shown a moment before its manager is listed with it.
  const others = await fundsById(
    db,
    ciks.filter((cik) => !listed.has(cik)),
  );
  return new Map(ciks.map((cik) => [cik, nameOf(cik, listed.get(cik) ?? others.get(cik))]));
}

/** A fund is written before its reports invalidate the board. One that is gone invalidated it again. */
function nameOf(cik: Cik, fund: Named | undefined): Named {
  const { name, slug, manager } = fund ?? { name: cik, slug: cik, manager: null };
  return { name, slug, manager: manager ?? curatedManagerOf(cik)?.name ?? null };
}
