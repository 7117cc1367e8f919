import type { Binary, Collection, Db } from 'mongodb';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, CusipChange } from '../../domain/peers/verdict.ts';
import { pack, unpack } from '../mongo/packed.ts';

/**
 * What the filers of a quarter say together, in one document, so that events and verdicts change at
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
  /** Hash of events and verdicts: what a comparison of reports was made with. */
  digest: string;
  /** When it was computed. */
  at: string;
  /** `CorporateAction[]`, packed. */
  events: Binary;
  /** Verdicts by part of the managers (see `verdicts.ts`). */
  verdicts: Record<string, Binary>;
  /** `Changed`, packed: what has to be marked because of the content shown; null when it was. */
  unmarked: Binary | null;
};

export function peerVerdictsIn(db: Db): Collection<PeerVerdictsDoc> {
  return db.collection<PeerVerdictsDoc>('peers');
}

/** Amounts as decimal text: JSON has no bigint. */
export function packEvents(events: readonly CorporateAction[]): Binary {
  return pack(events.map(eventToJson));
}

export function unpackEvents(binary: Binary): CorporateAction[] {
  return unpack<Json[]>(binary).map(eventFromJson);
}

type Json = Record<string, unknown>;
type Ratio = { numerator: string; denominator: string };

export function eventToJson(event: CorporateAction): Json {
  if (!('factor' in event)) return { ...event };
  const { numerator, denominator } = event.factor;
  return { ...event, factor: { numerator: numerator.toString(), denominator: denominator.toString() } };
}

function eventFromJson(json: Json): CorporateAction {
  if (json['factor'] === undefined) return json as unknown as CorporateAction;
  const { numerator, denominator } = json['factor'] as Ratio;
  const factor = { numerator: BigInt(numerator), denominator: BigInt(denominator) };
  return { ...json, factor } as CorporateAction;
}

export type QuarterEvents = { readonly digest: string; readonly events: readonly CorporateAction[] };

/** The quarter's events and the digest of its answers; none and an empty digest before the first. */
export async function eventsOfQuarter(db: Db, quarterEnd: QuarterEnd): Promise<QuarterEvents> {
  const doc = await peerVerdictsIn(db).findOne({ _id: quarterEnd }, { projection: { digest: 1, events: 1 } });
  return doc === null ? { digest: '', events: [] } : { digest: doc.digest, events: unpackEvents(doc.events) };
}

/** What the filers of the quarters said, of those that were asked; in no order. */
export async function eventsOfQuarters(
  db: Db,
  quarters: readonly QuarterEnd[],
): Promise<{ readonly quarterEnd: QuarterEnd; readonly events: readonly CorporateAction[] }[]> {
  const docs = await peerVerdictsIn(db)
    .find({ _id: { $in: [...quarters] } }, { projection: { events: 1 } })
    .toArray();
  return docs.map((doc) => ({ quarterEnd: doc._id, events: unpackEvents(doc.events) }));
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
  return (await eventsOfQuarters(db, quarters)).flatMap(({ quarterEnd, events }) =>
    events.flatMap((change) => (change.kind === 'cusip_change' ? [{ quarterEnd, change }] : [])),
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
