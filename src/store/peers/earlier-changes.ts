import type { Db } from 'mongodb';
import { quartersInForce } from '../../domain/change/in-force.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CusipChange } from '../../domain/peers/verdict.ts';
import { corporateActionsOfQuarters, peersDigests } from './corporate-actions.ts';

/** Changes of CUSIP by the digest of their quarter's answers: an equal digest has equal changes. */
const kept = new Map<string, readonly CusipChange[]>();
const MAX_KEPT = 64;

/** The earlier changes that are in force in the quarter, the newest first. Each digest is read once. */
export async function earlierChanges(db: Db, quarterEnd: QuarterEnd): Promise<readonly CusipChange[]> {
  const quarters = quartersInForce(quarterEnd);
  const digests = await peersDigests(db, quarters);
  // Taken before anything is awaited: a read at the same time may drop what is kept.
  const known = digests.map((digest) => (digest === '' ? [] : kept.get(digest)));
  const missing = quarters.filter((_, at) => known[at] === undefined);
  const read = new Map<QuarterEnd, readonly CusipChange[]>();
  for (const { quarterEnd: quarter, digest, corporateActions } of await corporateActionsOfQuarters(
    db,
    missing,
  )) {
    const changes = corporateActions.filter((action) => action.kind === 'cusip_change');
    keep(digest, changes);
    read.set(quarter, changes);
  }
  return quarters.flatMap((quarter, at) => known[at] ?? read.get(quarter) ?? []);
}

function keep(digest: string, changes: readonly CusipChange[]): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
  kept.set(digest, changes);
}
