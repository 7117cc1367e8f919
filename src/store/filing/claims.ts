import type { Db, Filter, UpdateFilter } from 'mongodb';
import type { Leg, Subject } from '../../domain/filing/filing.ts';
import { type Lane, lanesAfter } from '../../domain/filing/lane.ts';
import type { Accession, Cik, IsoDate } from '../../domain/ids.ts';
import { findAmong, findByIds, inLists } from '../mongo/lists.ts';
import { insertNew, JOURNALED } from '../mongo/write.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

/** A filing as a feed or an index names it. */
export type FoundFiling = {
  readonly accession: Accession;
  readonly cik: Cik;
  readonly form: string;
  readonly leg: Leg | null;
  readonly company: string;
  readonly filedDate: IsoDate;
  /** The day of the daily index that lists it; absent where the feed does. */
  readonly indexDay?: IsoDate;
  /** `backfill` where none is given. */
  readonly lane?: Lane;
};

/** Notes filings that are not known yet and returns those. A known one stays as it is. */
export async function discoverFilings(db: Db, found: readonly FoundFiling[], now: Date) {
  const docs = found.map((one) => discovered(one, now.toISOString()));
  const added = await insertNew(filingsIn(db), docs, JOURNALED);
  return added.flatMap((place) => docs[place]?._id ?? []);
}

/** Those of the filings that still wait in a less urgent lane, in the lane that has found them now. */
export async function moveFilingsUp(db: Db, accessions: readonly Accession[], lane: Lane) {
  const where: Filter<FilingDoc> = {
    lane: { $in: [...lanesAfter(lane)] },
    state: { $in: ['discovered', 'fetched'] },
  };
  const projection = { state: 1, fence: 1, filedDate: 1 };
  const moved = await findAmong(filingsIn(db), { field: '_id', values: accessions, where, projection });
  for (const _id of inLists(moved.map((filing) => filing._id))) {
    await filingsIn(db).updateMany({ ...where, _id }, { $set: { lane } });
  }
  return moved;
}

/** Notes that the documents of imported filings are to be fetched. Returns how many filings these are. */
export async function wantDocuments(db: Db, accessions: readonly Accession[], at: string): Promise<number> {
  let wanted = 0;
  for (const _id of inLists(accessions)) {
    const { matchedCount } = await filingsIn(db).updateMany(
      { _id, state: 'parsed', dataSet: { $exists: true } },
      { $set: { documentWanted: true, nextAt: at, quarantine: null }, $unset: { missingSince: '' } },
    );
    wanted += matchedCount;
  }
  return wanted;
}

/** Those of the accessions that are stored in any state. */
export async function knownAmong(db: Db, accessions: readonly Accession[]): Promise<Accession[]> {
  return (await findByIds(filingsIn(db), accessions, { _id: 1 })).map(({ _id }) => _id);
}

/** A filing that is known only by its entry in a feed or an index. */
export function discovered({ accession, lane = 'backfill', ...found }: FoundFiling, now: string): FilingDoc {
  return {
    _id: accession,
    ...found,
    state: 'discovered',
    discoveredAt: now,
    lane,
    nextAt: now,
    tries: 0,
    fence: 0,
    raw: [],
    retrievedAt: null,
    parserVersion: null,
    parsedRaw: null,
    publishedAt: null,
    event: 'none',
    seq: null,
    derive: 'none',
    followers: [],
    quarantine: null,
    content: null,
    rows: null,
    issuerCik: null,
    reportingOwnerCiks: [],
  };
}

/** A stage's hold on a filing: writes under an older fence change nothing. */
export type Claim = {
  readonly filing: FilingDoc;
  readonly fence: number;
  /** How much the claim added to the tries of the filing. */
  readonly counted: 0 | 1;
  readonly leaseMs: number;
};

export type Lease = { readonly leaseMs: number; readonly now: Date };

/** `suspectedAt`: what a second try notes. */
type Retry = Lease & { readonly suspectedAt?: number };

/**
 * Takes the filing for a stage if it is in `state`, and counts the try; null when another run has
 * moved it on. The count returns to 0 when the stage ends, so it counts crashes and failures. For
 * `leaseMs` the dispatcher leaves the filing alone: a slow stage must not be started a second time.
 */
export async function claimFiling(
  db: Db,
  accession: Accession,
  { state, ...retry }: Retry & { readonly state: FilingDoc['state'] },
): Promise<Claim | null> {
  return claimWhere(db, { _id: accession, state }, retry);
}

/** The same for an imported filing whose document is wanted, without counting a try. It stays parsed. */
export async function claimImported(db: Db, accession: Accession, lease: Lease): Promise<Claim | null> {
  return claimWhere(db, { _id: accession, state: 'parsed', documentWanted: true }, { ...lease, counted: 0 });
}

/** Counts a try under a claim that counted none; null when a later claim owns the filing. */
export async function countTry(db: Db, { filing, fence }: Claim, retry: Retry): Promise<Claim | null> {
  return claimWhere(db, { _id: filing._id, fence }, retry);
}

type Counting = Retry & { readonly counted?: Claim['counted'] };

async function claimWhere(
  db: Db,
  where: Filter<FilingDoc>,
  { leaseMs, now, counted = 1, suspectedAt }: Counting,
): Promise<Claim | null> {
  const filing = await filingsIn(db).findOneAndUpdate(
    where,
    {
      $inc: { fence: 1, tries: counted },
      $set: { nextAt: leaseEnd(leaseMs, now), ...(suspectedAt === undefined ? {} : { suspectedAt }) },
      // A run that was claiming it among others does not find it any more.
      $unset: { unit: '' },
    },
    { returnDocument: 'after' },
  );
  return filing === null ? null : { filing, fence: Number(filing.fence), counted, leaseMs };
}

export const leaseEnd = (leaseMs: number, now: Date): string =>
  new Date(now.getTime() + leaseMs).toISOString();

/** The lease of a claim begins anew, while its stage lasts: a busy machine may take longer than one lease. */
export async function renewLease(db: Db, { filing, fence, leaseMs }: Claim, now: Date): Promise<void> {
  const { _id, state } = filing;
  await filingsIn(db).updateOne({ _id, fence, state }, { $set: { nextAt: leaseEnd(leaseMs, now) } });
}

/** How often a stage of the filing has not come to its end. */
export async function triesOf(db: Db, accession: Accession): Promise<number> {
  const filing = await filingsIn(db).findOne({ _id: accession }, { projection: { tries: 1 } });
  return Number(filing?.tries ?? 0);
}

/** Ends a stage under its fence; false when a later claim owns the filing. */
export async function endStage(db: Db, claim: Claim, update: UpdateFilter<FilingDoc>): Promise<boolean> {
  const result = await filingsIn(db).updateOne({ _id: claim.filing._id, fence: claim.fence }, update);
  return result.matchedCount === 1;
}

/** Sets a filing aside with a code and a reason. Its raw bytes stay, and the queue goes on. */
export async function quarantineFiling(db: Db, claim: Claim, why: Quarantine): Promise<boolean> {
  return endStage(db, claim, quarantined(claim.filing, why));
}

/** `subject`: what the header says of a filing whose document cannot be read; absent where there is no header. */
export type Quarantine = Pick<NonNullable<FilingDoc['quarantine']>, 'code' | 'reason' | 'at'> & {
  readonly subject?: Subject;
};

/** What sets a filing aside. Readers of its issuer, or of its quarter, hear of it all the same (rule 13.2). */
export function quarantined({ leg, cik }: Pick<FilingDoc, 'leg' | 'cik'>, { subject, ...why }: Quarantine) {
  const quarterEnd = subject?.quarterEnd ?? null;
  const quarantine = { ...why, ...(leg === 'thirteen_f' && quarterEnd !== null ? { quarterEnd } : {}) };
  const owners = subject === undefined ? {} : { reportingOwnerCiks: subject.reportingOwnerCiks };
  const parties = leg === 'form4' ? { issuerCik: subject?.issuerCik ?? cik, ...owners } : {};
  return {
    $set: { state: 'quarantined', tries: 0, quarantine, ...parties },
    $unset: { suspectedAt: '' },
  } as const;
}

/**
 * Leaves the filing in its state, not to be tried before `until`. Only a crash of the parser counts
 * against the filing: an outage of ours must not quarantine it. `crashedAt`: the starts of workers at such a crash.
 */
export async function parkFiling(
  db: Db,
  claim: Claim,
  { until, crashedAt }: { readonly until: Date; readonly crashedAt?: number },
): Promise<void> {
  const isCrash = crashedAt !== undefined;
  await endStage(db, claim, {
    $set: { nextAt: until.toISOString(), ...(isCrash ? { suspectedAt: crashedAt } : {}) },
    $inc: { tries: isCrash ? 0 : -claim.counted },
  });
}
