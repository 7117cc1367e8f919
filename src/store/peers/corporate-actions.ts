import type { Binary, Db } from 'mongodb';
import { quartersInForce } from '../../domain/change/in-force.ts';
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
  /** Verdicts by part of the managers (see `verdicts.ts`). */
  verdicts: Record<string, Binary>;
  /** `Changed`, packed: what has to be invalidated because of this content; null when it was. */
  pendingChanges: Binary | null;
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

/** The corporate actions of the quarters that were computed, in any order. */
export async function corporateActionsOfQuarters(db: Db, quarters: readonly QuarterEnd[]) {
  const docs = await findByIds(peerVerdictsIn(db), quarters, { digest: 1, corporateActions: 1 });
  return docs.map(({ _id, digest, corporateActions }) => ({
    quarterEnd: _id,
    digest,
    corporateActions: unpackCorporateActions(corporateActions),
  }));
}

/** The digest of each quarter, empty for one that was not computed. */
export async function peersDigests(db: Db, quarters: readonly QuarterEnd[]): Promise<string[]> {
  const docs = await findByIds(peerVerdictsIn(db), quarters, { digest: 1 });
  const digests = new Map(docs.map((doc) => [doc._id, doc.digest]));
  return quarters.map((quarterEnd) => digests.get(quarterEnd) ?? '');
}

/** The changes of CUSIP that the quarters prove, each with its quarter. */
export async function cusipChangesIn(db: Db, quarters: readonly QuarterEnd[]) {
  return (await corporateActionsOfQuarters(db, quarters)).flatMap(({ quarterEnd, corporateActions }) =>
    corporateActions.flatMap((change) => (change.kind === 'cusip_change' ? [{ quarterEnd, change }] : [])),
  );
}

/** Changes of CUSIP by the digest of their quarter's answers: an equal digest has equal changes. */
const kept = new Map<string, readonly CusipChange[]>();
const MAX_KEPT = 64;

/** The earlier changes that are in force in the quarter, the newest first. Each digest is read once. */
export async function earlierChanges(db: Db, quarterEnd: QuarterEnd): Promise<readonly CusipChange[]> {
  const quarters = quartersInForce(quarterEnd);
  const digests = await peersDigests(db, quarters);
  return changesOfDigests(
    db,
    quarters.map((quarter, at) => [quarter, digests[at] ?? ''] as const),
  );
}

/** The changes of CUSIP of the quarters, each with the digest of its answers, empty for none. In their order. */
export async function changesOfDigests(
  db: Db,
  quarters: readonly (readonly [QuarterEnd, string])[],
): Promise<readonly CusipChange[]> {
  // Taken before anything is awaited: a read at the same time may drop what is kept.
  const known = quarters.map(([, digest]) => (digest === '' ? [] : kept.get(digest)));
  const missing = quarters.flatMap(([quarter], at) => (known[at] === undefined ? [quarter] : []));
  const read = new Map<QuarterEnd, readonly CusipChange[]>();
  for (const { quarterEnd, digest, corporateActions } of await corporateActionsOfQuarters(db, missing)) {
    const changes = corporateActions.filter((action) => action.kind === 'cusip_change');
    keep(digest, changes);
    read.set(quarterEnd, changes);
  }
  return quarters.flatMap(([quarter], at) => known[at] ?? read.get(quarter) ?? []);
}

function keep(digest: string, changes: readonly CusipChange[]): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
  kept.set(digest, changes);
}
