import type { Binary, Collection, Db } from 'mongodb';
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
import { pack, unpack } from '../../store/mongo/packed.ts';
import type { PublishedCorpus } from '../../store/publish/corpus.ts';
import { bucketsOfPart, type Derived, replaceDerived } from '../../store/publish/search-parts.ts';
import { fundsIn } from '../../store/report/funds.ts';
import { positionsOfBuckets } from '../../store/report/positions.ts';
import { reportsIn } from '../../store/report/reports.ts';

/** Who holds the securities of a part in one quarter: `_id` is `<part>|<quarter end>`. */
export type HoldersDoc = Derived & { part: string; held: Binary };

export function holdersIn(db: Db): Collection<HoldersDoc> {
  return db.collection<HoldersDoc>('search_holders');
}

export type HoldersKey = { readonly part: string; readonly quarterEnd: QuarterEnd };

/** Counted anew from the reports shown, never added to what was counted before. */
export async function countHolders(db: Db, { part, quarterEnd }: HoldersKey): Promise<QuarterHolders[]> {
  const [reports, last] = await Promise.all([
    reportsIn(db)
      .find({ quarterEnd }, { projection: { cik: 1, digest: 1 } })
      .toArray(),
    fundsIn(db)
      .find({ reportedThrough: quarterEnd }, { projection: { _id: 1 } })
      .toArray(),
  ]);
  const shown = new Map(reports.map((report) => [report.cik, report.digest]));
  const reportedLast = new Set(last.map((fund) => fund._id));
  const tally: HolderTally = new Map();
  for await (const position of positionsOfBuckets(db, bucketsOfPart(part), quarterEnd)) {
    if (!isHeld(position) || shown.get(position.cik) !== position.digest) continue;
    const { cusip, issuer, cik } = position;
    noteHolder(tally, { cusip, issuer, isLast: reportedLast.has(cik) });
  }
  return heldIn(tally, quarterEnd);
}

/** Nobody who holds anything is a statement too: the quarter before may have counted otherwise. */
export async function saveHolders(
  db: Db,
  { part, quarterEnd }: HoldersKey,
  computed: { readonly held: readonly QuarterHolders[]; readonly version: number },
): Promise<void> {
  const { held, version } = computed;
  const at = new Date().toISOString();
  await replaceDerived(holdersIn(db), { _id: `${part}|${quarterEnd}`, part, version, at, held: pack(held) });
}

/** The securities of a part, each by who holds it now by the published corpus, else by who held it last. */
export async function heldOfPart(db: Db, part: string): Promise<HeldSecurity[]> {
  const countedBy = await publishedState(db);
  const docs = await holdersIn(db).find({ part }).toArray();
  return latestHeld(
    docs.map((doc) => unpack<QuarterHolders[]>(doc.held)),
    countedBy,
  );
}

/** Of the publication that marks the parts. Read here, because `corpus.ts` depends on the search. */
async function publishedState(db: Db): Promise<CountedBy> {
  const doc = await db
    .collection<{ _id: string; published: PublishedCorpus }>('corpus')
    .findOne({ _id: 'corpus' });
  return doc?.published.state ?? { latestReportedQuarterEnd: null, filingWindow: 'closed' };
}
