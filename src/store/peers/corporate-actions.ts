import { LRUCache } from 'lru-cache';
import type { Binary, Db } from 'mongodb';
import { quartersInForce } from '../../domain/change/restate.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, CusipChange } from '../../domain/peers/verdict.ts';
import { findByIds } from '../mongo/lists.ts';
import { type Codec, pack, RATIO, unpack } from '../mongo/pack.ts';

/**
 * What all filers of a quarter imply together. It is one document, so that corporate actions and
 * verdicts change at once and no worker with older inputs replaces a newer answer.
 */
export type PeerVerdictsDoc = {
  _id: QuarterEnd;
  /** Raised by every write: a writer replaces only the state that it has read. */
  version: number;
  /** Version of the invalidation that it was computed for; only moves forward. */
  invalidationVersion: number;
  /** Of the reports as filed; empty until everything that follows from the content was invalidated. */
  inputsDigest: string;
  /** Of corporate actions and verdicts: a comparison of reports was made with it. */
  digest: string;
  /** When it was computed. */
  at: string;
  /** `CorporateAction[]`, packed. */
  corporateActions: Binary;
  /** Verdicts by part of the managers (see `answers.ts`). */
  verdicts: Record<string, Binary>;
  /** `Changed`, packed: what has to be invalidated because of this content; null when it was. */
  pendingChanges: Binary | null;
  /**
   * What the reports, as filed, imply that one share of each security cost at the quarter's end, by part of the
   * CUSIPs (see `quarter-prices.ts`). Prices of insiders are compared with it.
   */
  prices: Record<string, Binary>;
  /** CUSIPs whose price is another one, packed, until what follows from it was invalidated; else null. */
  pendingPrices: Binary | null;
};

export const peerVerdictsIn = (db: Db) => db.collection<PeerVerdictsDoc>('peers');

export const CORPORATE_ACTION: Codec<CorporateAction> = {
  encode: (action) => ('factor' in action ? { ...action, factor: RATIO.encode(action.factor) } : action),
  decode: (json) => {
    const action = json as CorporateAction;
    return 'factor' in action ? { ...action, factor: RATIO.decode(action.factor) } : action;
  },
};

export function packCorporateActions(actions: readonly CorporateAction[]): Binary {
  return pack(actions.map(CORPORATE_ACTION.encode));
}

export function unpackCorporateActions(binary: Binary): CorporateAction[] {
  return unpack<unknown[]>(binary).map(CORPORATE_ACTION.decode);
}

/** What a quarter proves, with the digest of its answers. */
type QuarterActions = {
  readonly quarterEnd: QuarterEnd;
  readonly digest: string;
  readonly corporateActions: readonly CorporateAction[];
};

/** The corporate actions of the quarters that were computed, in their order. What the process keeps is not read again. */
export async function corporateActionsOfQuarters(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<QuarterActions[]> {
  return actionsOfDigests(db, await digested(db, quarters));
}

/** The digest of each quarter, empty for one that was not computed. */
export async function peersDigests(db: Db, quarters: readonly QuarterEnd[]): Promise<string[]> {
  const docs = await findByIds(peerVerdictsIn(db), quarters, { digest: 1 });
  const digests = new Map(docs.map((doc) => [doc._id, doc.digest]));
  return quarters.map((quarterEnd) => digests.get(quarterEnd) ?? '');
}

/** The earlier changes that are in force in the quarter, the newest first. */
export async function earlierChanges(db: Db, quarterEnd: QuarterEnd): Promise<readonly CusipChange[]> {
  return changesOfDigests(db, await digested(db, quartersInForce(quarterEnd)));
}

/** Quarters, each with the digest of its answers, empty for none. */
type Digested = readonly (readonly [quarterEnd: QuarterEnd, digest: string])[];

/** The changes of CUSIP of the quarters, in their order. */
export async function changesOfDigests(db: Db, quarters: Digested): Promise<readonly CusipChange[]> {
  const known = await actionsOfDigests(db, quarters);
  return known.flatMap(({ corporateActions }) =>
    corporateActions.filter((action) => action.kind === 'cusip_change'),
  );
}

async function digested(db: Db, quarters: readonly QuarterEnd[]): Promise<Digested> {
  const digests = await peersDigests(db, quarters);
  return quarters.map((quarter, at) => [quarter, digests[at] ?? ''] as const);
}

/** By the digest of a quarter's answers: an equal digest has equal actions, whichever quarter it is of. */
const kept = new LRUCache<string, readonly CorporateAction[]>({ max: 64 });

/** In the order of the quarters. One that was replaced since its digest was read is as it is now. */
export async function actionsOfDigests(db: Db, quarters: Digested): Promise<QuarterActions[]> {
  const known = new Map<QuarterEnd, QuarterActions>();
  // Taken before anything is awaited: a read at the same time may drop what is kept.
  for (const [quarterEnd, digest] of quarters) {
    const corporateActions = kept.get(digest);
    if (corporateActions !== undefined) known.set(quarterEnd, { quarterEnd, digest, corporateActions });
  }
  const others = quarters.flatMap(([quarter, digest]) =>
    digest === '' || known.has(quarter) ? [] : [quarter],
  );
  const docs = await findByIds(peerVerdictsIn(db), others, { digest: 1, corporateActions: 1 });
  for (const { _id: quarterEnd, digest, corporateActions: packed } of docs) {
    const corporateActions = unpackCorporateActions(packed);
    kept.set(digest, corporateActions);
    known.set(quarterEnd, { quarterEnd, digest, corporateActions });
  }
  return quarters.flatMap(([quarterEnd]) => known.get(quarterEnd) ?? []);
}
