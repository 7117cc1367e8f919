import type { Binary, Collection, Db } from 'mongodb';
import type { QuarterEnd } from '../domain/ids.ts';
import type { HeldSecurity } from '../domain/search-entry.ts';
import { type HolderTally, heldIn, latestHeld, noteHolder } from '../domain/search-holders.ts';
import { pack, unpack } from './packed.ts';
import { positionsOfBuckets } from './positions.ts';
import { reportsIn } from './reports.ts';
import { bucketsOfPart, type Derived, replaceDerived } from './search-parts.ts';

/** Who holds the securities of a part in one quarter: `_id` is `<part>|<quarter end>`. */
export type HoldersDoc = Derived & { part: string; held: Binary };

export function holdersIn(db: Db): Collection<HoldersDoc> {
  return db.collection<HoldersDoc>('search_holders');
}

export type HoldersKey = { readonly part: string; readonly quarterEnd: QuarterEnd };

/** Counted anew from the reports shown, never added to what was counted before. */
export async function countHolders(db: Db, { part, quarterEnd }: HoldersKey): Promise<HeldSecurity[]> {
  const reports = await reportsIn(db)
    .find({ quarterEnd }, { projection: { cik: 1, version: 1 } })
    .toArray();
  const shown = new Map(reports.map((report) => [report.cik, report.version]));
  const tally: HolderTally = new Map();
  for await (const position of positionsOfBuckets(db, bucketsOfPart(part), quarterEnd)) {
    if (position.amount <= 0n || shown.get(position.cik) !== position.version) continue;
    noteHolder(tally, position.cusip, position.issuer);
  }
  return heldIn(tally, quarterEnd);
}

/** Nobody who holds anything is a statement too: the quarter before may have counted otherwise. */
export async function saveHolders(
  db: Db,
  { part, quarterEnd }: HoldersKey,
  computed: { readonly held: readonly HeldSecurity[]; readonly rev: number },
): Promise<void> {
  const { held, rev } = computed;
  const at = new Date().toISOString();
  await replaceDerived(holdersIn(db), { _id: `${part}|${quarterEnd}`, part, rev, at, held: pack(held) });
}

/** The securities of a part, each by the latest quarter in which it is held. */
export async function heldOfPart(db: Db, part: string): Promise<HeldSecurity[]> {
  const docs = await holdersIn(db).find({ part }).toArray();
  return latestHeld(docs.map((doc) => unpack<HeldSecurity[]>(doc.held)));
}
