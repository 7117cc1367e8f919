import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import { relatedCusips } from '../../read/holders/security-history.ts';
import type { Followers } from '../../store/filing/data-sets.ts';
import { invalidate, invalidateBriefs } from '../../store/invalidation/invalidations.ts';
import { invalidateBoard } from '../../store/publish/leaderboard.ts';
import { SEARCH_PARTS, SECURITY_PARTS } from '../../store/publish/search-index.ts';
import { heldCusips } from '../../store/report/holdings.ts';
import { reportsIn } from '../../store/report/reports.ts';
import { symbolsOfCiks, symbolsOfCusips } from '../../store/security/securities.ts';

const BATCH = 500;
const FOLLOWED = { followersInvalidated: true, 'filed.followersInvalidated': true };

/**
 * Invalidates what follows from all imported filings together: each quarter, part and ticker once. A quarter
 * of all managers touches every security that is held, so nothing is gained by telling them apart.
 */
export async function invalidateImported(db: Db, followers: readonly Followers[]): Promise<void> {
  const all = (of: (one: Followers) => readonly string[]): string[] =>
    [...new Set(followers.flatMap(of))].sort();
  const holders = all((one) => one.holders);
  const issuers = [...new Set(followers.flatMap((one) => one.issuers))].sort();
  const tickers = [...(await symbolsOfCiks(db, issuers)), ...(await tickersHeld(db, holders.at(-1)))];
  await invalidate(
    db,
    'peers',
    all((one) => one.peers),
  );
  await invalidateBriefs(db, tickers);
  await invalidate(db, 'insider', issuers);
  if (holders.length > 0) await invalidateBoard(db, holders as QuarterEnd[]);
  await invalidate(
    db,
    'holders',
    holders.flatMap((quarter) => SECURITY_PARTS.map((part) => `${part}|${quarter}`)),
  );
  await invalidate(db, 'search', SEARCH_PARTS);
  for (const batch of batches(
    followers.flatMap(({ reports }) => reports),
    BATCH,
  )) {
    await reportsIn(db).bulkWrite(
      batch.map(([_id, digest]) => ({
        updateOne: { filter: { _id, digest }, update: { $set: FOLLOWED } },
      })),
      { ordered: false },
    );
  }
}

async function tickersHeld(db: Db, latest: string | undefined): Promise<readonly string[]> {
  if (latest === undefined) return [];
  return symbolsOfCusips(db, await relatedCusips(db, latest as QuarterEnd, await heldCusips(db)));
}
