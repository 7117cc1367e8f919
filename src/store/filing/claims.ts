import { randomUUID } from 'node:crypto';
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
export type Claim = { readonly filing: FilingDoc; readonly fence: number };

/** The filings that one run of a stage has claimed together: one, or several of history. */
export type Unit = {
  readonly id: string;
  readonly claims: readonly Claim[];
  /** How much the claim added to the tries of each. */
  readonly counted: 0 | 1;
  readonly leaseMs: number;
};

type Claiming = {
  /** What must hold of a filing for it to be claimed. */
  readonly where: Filter<FilingDoc>;
  readonly leaseMs: number;
  readonly now: Date;
  readonly counted?: Unit['counted'];
  /** What a second try notes. */
  readonly suspectedAt?: number;
};

/**
 * Takes those of the filings for a stage that are as it needs them, and counts the try. The count returns to 0 when the
 * stage ends, so it counts crashes and failures. For `leaseMs` the dispatcher leaves them alone: a slow stage must not
 * be started a second time. One that another run claims at the same moment is in one of the two units.
 */
export async function claimFilings(
  db: Db,
  accessions: readonly Accession[],
  { where, leaseMs, now, counted = 1, suspectedAt }: Claiming,
): Promise<Unit> {
  const id = randomUUID();
  const noted = suspectedAt === undefined ? {} : { suspectedAt };
  for (const _id of inLists(accessions)) {
    await filingsIn(db).updateMany(
      { ...where, _id },
      {
        $inc: { fence: 1, tries: counted },
        $set: { nextAt: leaseEnd(leaseMs, now), unit: id, ...noted },
      },
    );
  }
  const values = accessions;
  const claimed = await findAmong(filingsIn(db), { field: '_id', values, where: { unit: id } });
  const claims = claimed.map((filing) => ({ filing, fence: Number(filing.fence) }));
  return { id, claims, counted, leaseMs };
}

const leaseEnd = (leaseMs: number, now: Date): string => new Date(now.getTime() + leaseMs).toISOString();

/** The lease of those that are still claimed begins anew: a busy machine may take longer than one lease. */
export async function renewLeases(db: Db, unit: Unit, now: Date): Promise<void> {
  await writeHeld(db, unit, { $set: { nextAt: leaseEnd(unit.leaseMs, now) } });
}

type Release = {
  /** When the dispatcher may enqueue them again. */
  readonly until: Date;
  /** Whether the try counts: an outage of ours must not quarantine a filing. */
  readonly isCounted: boolean;
  /** The starts of workers at a crash of the parser. */
  readonly crashedAt?: number;
};

/** Leaves those that are still claimed in their state, for another try. */
export async function releaseFilings(
  db: Db,
  unit: Unit,
  { until, isCounted, crashedAt }: Release,
): Promise<void> {
  await writeHeld(db, unit, {
    $set: { nextAt: until.toISOString(), ...(crashedAt === undefined ? {} : { suspectedAt: crashedAt }) },
    $inc: { tries: isCounted ? 0 : -unit.counted },
    $unset: { unit: '' },
  });
}

async function writeHeld(db: Db, { id, claims }: Unit, update: UpdateFilter<FilingDoc>): Promise<void> {
  for (const _id of inLists(claims.map(({ filing }) => filing._id))) {
    await filingsIn(db).updateMany({ _id, unit: id }, update);
  }
}

type StageEnd = { readonly claim: Claim; readonly update: UpdateFilter<FilingDoc> };

/** Ends the stage of each filing under its fence, with one command. What a later claim owns stays as it is. */
export async function endStages(db: Db, ends: readonly StageEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await filingsIn(db).bulkWrite(
    ends.map(({ claim: { filing, fence }, update }) => {
      const { $unset, ...others } = update;
      return {
        updateOne: {
          filter: { _id: filing._id, fence },
          update: { ...others, $unset: { ...$unset, unit: '' } } as UpdateFilter<FilingDoc>,
        },
      };
    }),
    { ordered: false },
  );
}

/** Notes since when EDGAR does not have the whole document of a claimed filing. */
export async function noteMissing(db: Db, { filing, fence }: Claim, at: Date): Promise<void> {
  const missingSince = at.toISOString();
  await filingsIn(db).updateOne({ _id: filing._id, fence }, { $set: { missingSince } });
}

/** How often a stage of the filing has not come to its end. */
export async function triesOf(db: Db, accession: Accession): Promise<number> {
  const filing = await filingsIn(db).findOne({ _id: accession }, { projection: { tries: 1 } });
  return Number(filing?.tries ?? 0);
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
