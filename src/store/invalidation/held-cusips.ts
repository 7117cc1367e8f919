import type { Collection, Db } from 'mongodb';
import { insertNew, JOURNALED } from '../mongo/insert-new.ts';

/** CUSIPs that stand in some report: a ticker that is mapped to one of them later needs a brief. */
type HeldDoc = { _id: string };

function heldIn(db: Db): Collection<HeldDoc> {
  return db.collection<HeldDoc>('held_cusips');
}

/** Known to this process, per database, so that each CUSIP is written once and not once a report. */
const noted = new Map<string, Set<string>>();

export async function noteHeld(db: Db, cusips: readonly string[]): Promise<void> {
  const known = noted.get(db.databaseName) ?? new Set<string>();
  noted.set(db.databaseName, known);
  const fresh = [...new Set(cusips)].filter((cusip) => !known.has(cusip));
  if (fresh.length === 0) return;
  await insertNew(
    heldIn(db),
    fresh.map((_id) => ({ _id })),
    JOURNALED,
  );
  for (const cusip of fresh) known.add(cusip);
}

export async function heldAmong<C extends string>(db: Db, cusips: readonly C[]): Promise<C[]> {
  const docs = await heldIn(db)
    .find({ _id: { $in: [...cusips] } })
    .toArray();
  const held = new Set(docs.map((doc) => doc._id));
  return cusips.filter((cusip) => held.has(cusip));
}
