import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation, Binary, Db } from 'mongodb';
import type { Moment } from '../../domain/columns/changes.ts';
import type { Names } from '../../domain/columns/room.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import {
  HELD,
  listedByOthers,
  markedManagers,
  type ShownQuarter,
} from '../../domain/report/shown-quarter.ts';
import type { HeldSecurity } from '../../domain/search/entry.ts';
import {
  type CountedBy,
  type HolderTally,
  heldIn,
  latestHeld,
  noteHolder,
  type QuarterHolders,
} from '../../domain/search/holders.ts';
import { findByIds } from '../../store/mongo/lists.ts';
import { digestOf, pack, unpack } from '../../store/mongo/pack.ts';
import { replaceUnlessNewer, UNJOURNALED, type Versioned } from '../../store/mongo/write.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { partOfSecurity } from '../../store/publish/search-index.ts';
import { managersThrough } from '../../store/report/funds.ts';
import { overShownQuarter, shownReports } from '../../store/report/shown-columns.ts';

/** Who holds the securities of a part in one quarter: `_id` is `<part>|<quarter end>`. */
type HoldersDoc = Versioned & {
  part: string;
  at: string;
  held: Binary;
  /** {@link HoldersInputs.digest}. */
  inputs: string;
  /** The part was invalidated for this count; false after a crash in between. */
  isFollowed: boolean;
};

const holdersIn = (db: Db) => db.collection<HoldersDoc>('search_holders');

export type HoldersKey = { readonly part: string; readonly quarterEnd: QuarterEnd };

export const holdersId = ({ part, quarterEnd }: HoldersKey): string => `${part}|${quarterEnd}`;

/** Raise it when equal reports give other counts. */
const HOLDERS_METHOD = 'holders.v1';

type HoldersInputs = Awaited<ReturnType<typeof holdersInputs>>;

/** All that the holders of a quarter are counted from: its reports, and who reported nothing later. */
export async function holdersInputs(db: Db, quarterEnd: QuarterEnd) {
  const shown = await shownReports(db, quarterEnd);
  const last = await managersThrough(db, quarterEnd);
  const digests = [...shown.reports].map(([cik, { digest }]) => `${cik}${digest}`).sort();
  return { shown, last, digest: digestOf([HOLDERS_METHOD, digests, last]) };
}

/** The keys whose last count was of other inputs, or was not followed by its part of the search. */
export async function uncounted(
  db: Db,
  keys: readonly HoldersKey[],
  { digest }: Pick<HoldersInputs, 'digest'>,
): Promise<HoldersKey[]> {
  const docs = await findByIds(holdersIn(db), keys.map(holdersId), { inputs: 1, isFollowed: 1 });
  const counted = docs.filter(({ inputs, isFollowed }) => isFollowed && inputs === digest);
  const ids = new Set(counted.map(({ _id }) => _id));
  return keys.filter((key) => !ids.has(holdersId(key)));
}

/**
 * The holders of the securities of each part. What a report did not change since the last count of this process is
 * taken from that. Throws `report_in_motion` (retryable).
 */
export async function countHolders(
  db: Db,
  { shown, last }: HoldersInputs,
  parts: Iterable<string>,
): Promise<Map<string, QuarterHolders[]>> {
  const counted = new Map([...parts].map((part): [string, QuarterHolders[]] => [part, []]));
  return overShownQuarter(db, shown, (quarter, names) => {
    for (const held of quarter.remembered(rememberingHolders)(quarter, {
      names,
      quarterEnd: shown.quarterEnd,
      last,
    })) {
      counted.get(partOfSecurity(held.cusip))?.push(held);
    }
    return counted;
  });
}

/** A count of a part, for the version of its invalidation. */
export type CountedPart = HoldersKey &
  Pick<HoldersDoc, 'version' | 'at'> & { readonly held: readonly QuarterHolders[]; readonly inputs: string };

/**
 * Saves the counts of one pass, also empty ones: an earlier count of the quarter may have found holders.
 * Returns those whose part of the search has to be written again: most reports change nothing of most parts.
 * Then call {@link noteHoldersFollowed} after they were invalidated; until then every count is another one.
 */
export async function saveHolders(db: Db, counted: readonly CountedPart[]): Promise<CountedPart[]> {
  const docs = counted.map((one) => ({ one, doc: docOf(one) }));
  const ids = docs.map(({ doc }) => doc._id);
  const before = new Map((await findByIds(holdersIn(db), ids)).map((doc) => [doc._id, doc]));
  const isKnown = ({ _id, held }: HoldersDoc): boolean => {
    const known = before.get(_id);
    return known?.isFollowed === true && isDeepStrictEqual(known.held.buffer, held.buffer);
  };
  const same = docs.filter(({ doc }) => isKnown(doc)).map(({ doc }) => countedAgain(doc));
  // Lost in a crash, they are counted once more.
  if (same.length > 0) await holdersIn(db).bulkWrite(same, { ordered: false, writeConcern: UNJOURNALED });
  const others = docs.filter(({ doc }) => !isKnown(doc));
  const fresh = others.map(({ doc }) => doc);
  await replaceUnlessNewer(holdersIn(db), fresh);
  return others.map(({ one }) => one);
}

function docOf({ part, quarterEnd, held, version, inputs, at }: CountedPart): HoldersDoc {
  const _id = holdersId({ part, quarterEnd });
  return { _id, part, version, inputs, at, held: pack(held), isFollowed: false };
}

/** Other reports gave the same count. */
function countedAgain({ _id, version, inputs, at }: HoldersDoc): AnyBulkWriteOperation<HoldersDoc> {
  const filter = { _id, version: { $lte: version } };
  return { updateOne: { filter, update: { $set: { version, at, inputs } } } };
}

export async function noteHoldersFollowed(db: Db, counted: readonly CountedPart[]): Promise<void> {
  const followed = counted.map((one): AnyBulkWriteOperation<HoldersDoc> => {
    const filter = { _id: holdersId(one), version: one.version };
    return { updateOne: { filter, update: { $set: { isFollowed: true } } } };
  });
  if (followed.length > 0) await holdersIn(db).bulkWrite(followed, { ordered: false });
}

const BEFORE_THE_FIRST_PUBLICATION: CountedBy = { latestReportedQuarterEnd: null, filingWindow: 'closed' };

/** The securities of a part, by their holders as of the published corpus, else by their last holders. */
export async function heldOfPart(db: Db, part: string): Promise<HeldSecurity[]> {
  const countedBy = (await publishedCorpus(db))?.corpus.state ?? BEFORE_THE_FIRST_PUBLICATION;
  const docs = await holdersIn(db).find({ part }).toArray();
  const held = docs.map((doc) => unpack<QuarterHolders[]>(doc.held));
  return latestHeld(held, countedBy);
}

type Of = {
  readonly names: Names;
  readonly quarterEnd: QuarterEnd;
  /** Managers that reported no later quarter. */
  readonly last: readonly Cik[];
};

/**
 * The holders of each security of a quarter, in order of CUSIP. For the same quarter time and again it counts only
 * the securities with other rows, and those of managers that reported a later quarter, or no later one any more.
 * An equal count is the same object: most changed rows differ only in their amounts.
 */
export function rememberingHolders() {
  const known: (QuarterHolders | undefined)[] = [];
  let seen: Moment | null = null;
  let wasLast: Uint8Array = new Uint8Array(0);
  return (quarter: ShownQuarter, { names, quarterEnd, last }: Of): QuarterHolders[] => {
    const isLast = markedManagers(names, last);
    const changed = quarter.changesSince(seen)?.securities;
    // Until the end: what is thrown half-way leaves nothing that is believed.
    seen = null;
    const securities = new Set(changed ?? Array(names.securities.size()).keys());
    if (changed !== undefined) {
      for (const one of listedByOthers(quarter, wasLast, isLast)) securities.add(one);
    }
    for (const security of securities) {
      const held = heldSecurity(quarter, { security, isLast, names, quarterEnd });
      if (!isDeepStrictEqual(held, known[security])) known[security] = held;
    }
    [seen, wasLast] = [quarter.now(), isLast];
    return known.flatMap((held) => held ?? []).sort(byCusip);
  };
}

type One = Pick<Of, 'names' | 'quarterEnd'> & { readonly security: number; readonly isLast: Uint8Array };

/** Undefined without a holder. */
function heldSecurity(quarter: ShownQuarter, { security, isLast, names, quarterEnd }: One) {
  const { manager, issuer, flags } = quarter.columns();
  const cusip = names.securities.textOf(security);
  const tally: HolderTally = new Map();
  for (const row of quarter.rowsOf(security)) {
    if (((flags[row] as number) & HELD) === 0) continue;
    const spelling = names.issuers.textOf(issuer[row] as number);
    noteHolder(tally, { cusip, issuer: spelling, isLast: isLast[manager[row] as number] === 1 });
  }
  return heldIn(tally, quarterEnd)[0];
}

function byCusip(a: QuarterHolders, b: QuarterHolders): number {
  return a.cusip < b.cusip ? -1 : 1;
}
