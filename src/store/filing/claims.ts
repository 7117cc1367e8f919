import type { Db, UpdateFilter } from 'mongodb';
import type { Leg } from '../../domain/filing/stored.ts';
import type { Accession, Cik, IsoDate } from '../../domain/ids.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

/** A filing as a feed or an index names it. */
export type FoundFiling = {
  readonly accession: Accession;
  readonly cik: Cik;
  readonly form: string;
  readonly leg: Leg | null;
  readonly company: string;
  readonly filedDate: IsoDate;
};

/** Notes filings that are not known yet and answers those; a known one is left as it is. */
export async function discoverFilings(db: Db, found: readonly FoundFiling[]): Promise<Accession[]> {
  if (found.length === 0) return [];
  const now = new Date().toISOString();
  const result = await filingsIn(db).bulkWrite(
    found.map((one) => {
      const { _id, ...rest } = discovered(one, now);
      return {
        updateOne: {
          filter: { _id },
          update: { $setOnInsert: rest },
          upsert: true,
        },
      };
    }),
    { ordered: false },
  );
  return Object.keys(result.upsertedIds).flatMap((index) => found[Number(index)]?.accession ?? []);
}

/** A filing of which nothing is known but what a feed or an index says. */
export function discovered({ accession, ...found }: FoundFiling, now: string): FilingDoc {
  return {
    _id: accession,
    ...found,
    state: 'discovered',
    discoveredAt: now,
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
    ticker: '',
  };
}

/** A stage's hold on a filing: writes under an older fence change nothing. */
export type Claim = { readonly filing: FilingDoc; readonly fence: number };

/**
 * Takes the filing for a stage if it is in `state`, and counts the attempt; null when another run
 * has moved it on. The count falls back to 0 when the stage ends, so it counts crashes and failures.
 * For `leaseMs` the dispatcher leaves the filing alone: a slow stage must not be started a second time.
 */
export async function claimFiling(
  db: Db,
  accession: Accession,
  taking: { readonly state: FilingDoc['state']; readonly leaseMs: number },
): Promise<Claim | null> {
  const nextAt = new Date(Date.now() + taking.leaseMs).toISOString();
  const filing = await filingsIn(db).findOneAndUpdate(
    { _id: accession, state: taking.state },
    { $inc: { fence: 1, tries: 1 }, $set: { nextAt } },
    { returnDocument: 'after' },
  );
  return filing === null ? null : { filing, fence: Number(filing.fence) };
}

/** Ends a stage under its fence; false when a later claim owns the filing. */
export async function endStage(db: Db, claim: Claim, update: UpdateFilter<FilingDoc>): Promise<boolean> {
  const result = await filingsIn(db).updateOne({ _id: claim.filing._id, fence: claim.fence }, update);
  return result.matchedCount === 1;
}

/** Sets a filing aside with a typed reason. Its raw bytes stay, and the queue goes on. */
export async function quarantineFiling(
  db: Db,
  claim: Claim,
  why: { readonly code: string; readonly reason: string },
): Promise<boolean> {
  const at = new Date().toISOString();
  return endStage(db, claim, {
    $set: { state: 'quarantined', tries: 0, quarantine: { ...why, at } },
  });
}

/**
 * Leaves the filing in its state, not to be tried before `until`. Only a crash of the parser counts
 * against the filing: an outage of ours must not quarantine it.
 */
export async function parkFiling(
  db: Db,
  claim: Claim,
  parked: { readonly until: Date; readonly isCrash: boolean },
): Promise<void> {
  await endStage(db, claim, {
    $set: { nextAt: parked.until.toISOString() },
    $inc: { tries: parked.isCrash ? 0 : -1 },
  });
}
