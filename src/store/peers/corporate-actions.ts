import type { Binary, Collection, Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, CusipChange } from '../../domain/peers/verdict.ts';
import { pack, unpack } from '../mongo/packed.ts';

/**
 * What the filers of a quarter say together, in one document, so that corporate actions and verdicts change at
 * once and no worker with older inputs overwrites a newer answer.
 */
export type PeerVerdictsDoc = {
  _id: QuarterEnd;
  /** Raised by every write: a writer replaces only the state that it has read. */
  version: number;
  /** Generation of the mark that it was computed for; only moves forward. */
  invalidationVersion: number;
  /** Of the reports as filed; empty until everything that follows from the content was marked. */
  inputsDigest: string;
  /** Hash of corporate actions and verdicts: what a comparison of reports was made with. */
  digest: string;
  /** When it was computed. */
  at: string;
  /** `CorporateAction[]`, packed. */
  corporateActions: Binary;
  /** Verdicts by part of the managers (see `verdicts.ts`). */
  verdicts: Record<string, Binary>;
  /** `Changed`, packed: what has to be marked because of the content shown; null when it was. */
  pendingChanges: Binary | null;
};

export function peerVerdictsIn(db: Db): Collection<PeerVerdictsDoc> {
  return db.collection<PeerVerdictsDoc>('peers');
}

/** Amounts as decimal text: JSON has no bigint. */
export function packCorporateActions(corporateActions: readonly CorporateAction[]): Binary {
  return pack(corporateActions.map(corporateActionToJson));
}

export function unpackCorporateActions(binary: Binary): CorporateAction[] {
  return unpack<Json[]>(binary).map(corporateActionFromJson);
}

type Json = Record<string, unknown>;
type Ratio = { numerator: string; denominator: string };

export function corporateActionToJson(action: CorporateAction): Json {
  if (!('factor' in action)) return { ...action };
  const { numerator, denominator } = action.factor;
  return { ...action, factor: { numerator: numerator.toString(), denominator: denominator.toString() } };
}

function corporateActionFromJson(json: Json): CorporateAction {
  if (json['factor'] === undefined) return json as unknown as CorporateAction;
  const { numerator, denominator } = json['factor'] as Ratio;
  const factor = { numerator: BigInt(numerator), denominator: BigInt(denominator) };
  return { ...json, factor } as CorporateAction;
}

export type QuarterCorporateActions = {
  readonly digest: string;
  readonly corporateActions: readonly CorporateAction[];
};

/** The quarter's corporate actions and the digest of its answers; none and an empty digest before the first. */
export async function corporateActionsOfQuarter(
  db: Db,
  quarterEnd: QuarterEnd,
): Promise<QuarterCorporateActions> {
  const doc = await peerVerdictsIn(db).findOne(
    { _id: quarterEnd },
    { projection: { digest: 1, corporateActions: 1 } },
  );
  return doc === null
    ? { digest: '', corporateActions: [] }
    : { digest: doc.digest, corporateActions: unpackCorporateActions(doc.corporateActions) };
}

/** What the filers of the quarters said, of those that were asked; in no order. */
export async function corporateActionsOfQuarters(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<{ readonly quarterEnd: QuarterEnd; readonly corporateActions: readonly CorporateAction[] }[]> {
  const docs = await peerVerdictsIn(db)
    .find({ _id: { $in: [...quarters] } }, { projection: { corporateActions: 1 } })
    .toArray();
  return docs.map((doc) => ({
    quarterEnd: doc._id,
    corporateActions: unpackCorporateActions(doc.corporateActions),
  }));
}

/** Versions of the answers of quarters, to tell whether one has changed while a report was compared. */
export async function peersDigests(db: Db, quarters: readonly QuarterEnd[]): Promise<string[]> {
  const docs = await peerVerdictsIn(db)
    .find({ _id: { $in: [...quarters] } }, { projection: { digest: 1 } })
    .toArray();
  const digests = new Map(docs.map((doc) => [doc._id, doc.digest]));
  return quarters.map((quarterEnd) => digests.get(quarterEnd) ?? '');
}

/** New CUSIPs that the filers of the quarters proved, each with its quarter. */
export async function cusipChangesIn(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<{ readonly quarterEnd: QuarterEnd; readonly change: CusipChange }[]> {
  return (await corporateActionsOfQuarters(db, quarters)).flatMap(({ quarterEnd, corporateActions }) =>
    corporateActions.flatMap((change) => (change.kind === 'cusip_change' ? [{ quarterEnd, change }] : [])),
  );
}

/** Those of the quarters whose answers were computed after the time. */
export async function peersComputedSince(
  db: Db,
  quarterEnds: readonly QuarterEnd[],
  since: string,
): Promise<ReadonlySet<QuarterEnd>> {
  const docs = await peerVerdictsIn(db)
    .find({ _id: { $in: [...quarterEnds] }, at: { $gt: since } }, { projection: { _id: 1 } })
    .toArray();
  return new Set(docs.map((doc) => doc._id));
}
