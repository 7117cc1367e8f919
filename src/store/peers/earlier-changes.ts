import type { Db } from 'mongodb';
import { quartersInForce } from '../../domain/change/in-force.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CusipChange } from '../../domain/peers/verdict.ts';
import { peersDigests, peerVerdictsIn, unpackCorporateActions } from './corporate-actions.ts';

/** A digest is a hash of what was said, so that whoever finds the same digest finds the same changes. */
const KEPT_DIGESTS = 64;
const kept = new Map<string, readonly CusipChange[]>();
const NONE_READ: ReadonlyMap<QuarterEnd, readonly CusipChange[]> = new Map();

/** The changes of those quarters, the newest first; each digest of a quarter's answers is read once. */
export async function earlierChanges(db: Db, quarterEnd: QuarterEnd): Promise<readonly CusipChange[]> {
  const quarters = quartersInForce(quarterEnd);
  const digests = await peersDigests(db, quarters);
  // Taken before anything is awaited: whoever reads meanwhile may drop what is kept.
  const known = digests.map((digest) => (digest === '' ? [] : kept.get(digest)));
  const missing = quarters.filter((_, at) => known[at] === undefined);
  const read = missing.length === 0 ? NONE_READ : await readChanges(db, missing);
  return quarters.flatMap((quarter, at) => known[at] ?? read.get(quarter) ?? []);
}

async function readChanges(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<ReadonlyMap<QuarterEnd, readonly CusipChange[]>> {
  const read = new Map<QuarterEnd, readonly CusipChange[]>();
  const docs = await peerVerdictsIn(db)
    .find({ _id: { $in: [...quarters] } }, { projection: { digest: 1, corporateActions: 1 } })
    .toArray();
  for (const { _id, digest, corporateActions } of docs) {
    const changes = unpackCorporateActions(corporateActions).filter(
      (action) => action.kind === 'cusip_change',
    );
    keep(digest, changes);
    read.set(_id, changes);
  }
  return read;
}

function keep(digest: string, changes: readonly CusipChange[]): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= KEPT_DIGESTS) kept.delete(oldest);
  kept.set(digest, changes);
}
