import type { Binary, Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { HeldSecurity } from '../../domain/search/entry.ts';
import {
  type CountedBy,
  type HolderTally,
  heldIn,
  isHeld,
  latestHeld,
  noteHolder,
  type QuarterHolders,
} from '../../domain/search/holders.ts';
import { pack, unpack } from '../../store/mongo/pack.ts';
import { replaceUnlessNewer, type Versioned } from '../../store/mongo/write.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { bucketsOfPart } from '../../store/publish/search-index.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { walkPositions } from '../../store/report/positions.ts';
import { shownDigests } from '../../store/report/reports.ts';

/** Who holds the securities of a part in one quarter: `_id` is `<part>|<quarter end>`. */
type HoldersDoc = Versioned & { part: string; at: string; held: Binary };

const holdersIn = (db: Db) => db.collection<HoldersDoc>('search_holders');

export type HoldersKey = { readonly part: string; readonly quarterEnd: QuarterEnd };

/** Counted from the reports shown, never added to an earlier count. */
export async function countHolders(db: Db, { part, quarterEnd }: HoldersKey): Promise<QuarterHolders[]> {
  const [shown, last] = await Promise.all([
    shownDigests(db, quarterEnd),
    fundsIn(db)
      .find({ reportedThrough: quarterEnd }, { projection: { _id: 1 } })
      .toArray(),
  ]);
  const reportedLast = new Set(last.map((fund) => fund._id));
  const tally: HolderTally = new Map();
  for await (const batch of walkPositions(db, quarterEnd, { buckets: bucketsOfPart(part), shown })) {
    for (const { cusip, issuer, cik } of batch.filter(isHeld)) {
      noteHolder(tally, { cusip, issuer, isLast: reportedLast.has(cik) });
    }
  }
  return heldIn(tally, quarterEnd);
}

/** Saved even when empty: an earlier count of the quarter may have found holders. */
export async function saveHolders(
  db: Db,
  { part, quarterEnd }: HoldersKey,
  { held, ...computed }: { held: readonly QuarterHolders[]; version: number; at: string },
): Promise<void> {
  const doc = { _id: `${part}|${quarterEnd}`, part, ...computed, held: pack(held) };
  await replaceUnlessNewer(holdersIn(db), doc);
}

const BEFORE_THE_FIRST_PUBLICATION: CountedBy = { latestReportedQuarterEnd: null, filingWindow: 'closed' };

/** The securities of a part, by their holders as of the published corpus, else by their last holders. */
export async function heldOfPart(db: Db, part: string): Promise<HeldSecurity[]> {
  const countedBy = (await publishedCorpus(db))?.corpus.state ?? BEFORE_THE_FIRST_PUBLICATION;
  const docs = await holdersIn(db).find({ part }).toArray();
  return latestHeld(
    docs.map((doc) => unpack<QuarterHolders[]>(doc.held)),
    countedBy,
  );
}
