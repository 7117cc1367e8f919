import { randomUUID } from 'node:crypto';
import type { Db, Filter, UpdateFilter } from 'mongodb';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import type { Accession } from '../../domain/ids.ts';
import { findAmong, inLists } from '../mongo/lists.ts';
import { type Claim, type Lease, leaseEnd } from './claims.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

/** Several filings that one run has claimed, each under its own fence. */
export type UnitClaim = {
  readonly unit: string;
  readonly claims: readonly Claim[];
  readonly leaseMs: number;
};

/** What a unit is taken from: filings that wait to be fetched, or parsed. */
export type UnitState = 'discovered' | 'fetched';

/** Those of history that no stage has failed on, and that have no information table: these are short. */
function waiting(state: UnitState, now: Date): Filter<FilingDoc> {
  const nextAt = { $lte: now.toISOString() };
  return { state, lane: LAST_LANE, leg: { $ne: 'thirteen_f' }, tries: 0, nextAt };
}

/** Whether a filing is fetched and parsed together with others. */
export function isOfUnits({ lane, leg, tries }: Pick<FilingDoc, 'lane' | 'leg' | 'tries'>): boolean {
  return lane === LAST_LANE && leg !== 'thirteen_f' && Number(tries) === 0;
}

/** Whether any filing waits to be fetched or parsed, of one lane or of all. */
export async function hasWaiting(db: Db, lane?: Lane): Promise<boolean> {
  const where = {
    state: { $in: ['discovered', 'fetched'] },
    ...(lane === undefined ? {} : { lane }),
  } as const;
  return (await filingsIn(db).findOne(where, { projection: { _id: 1 } })) !== null;
}

/** Filings that may be claimed together now, of later filing dates first. */
export async function unitCandidates(
  db: Db,
  state: UnitState,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<Accession[]> {
  const found = await filingsIn(db)
    .find(waiting(state, now), { projection: { _id: 1 } })
    .sort({ filedDate: -1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}

/**
 * Claims those of the filings that still wait, as `claimFiling` claims one: the fence is raised and the try counted.
 * One that a run of its own claims at the same moment is not among them.
 */
export async function claimUnit(
  db: Db,
  accessions: readonly Accession[],
  { state, leaseMs, now }: Lease & { readonly state: UnitState },
): Promise<UnitClaim> {
  const unit = randomUUID();
  for (const _id of inLists(accessions)) {
    await filingsIn(db).updateMany(
      { ...waiting(state, now), _id },
      { $inc: { fence: 1, tries: 1 }, $set: { nextAt: leaseEnd(leaseMs, now), unit } },
    );
  }
  const claimed = await findAmong(filingsIn(db), {
    field: '_id',
    values: accessions,
    where: { unit, tries: 1 },
  });
  const claims = claimed.map((filing) => {
    return { filing, fence: Number(filing.fence), counted: 1, leaseMs } as const;
  });
  return { unit, claims, leaseMs };
}

/** The lease of those that are still claimed begins anew. */
export async function renewUnit(db: Db, { unit, claims, leaseMs }: UnitClaim, now: Date): Promise<void> {
  await setUnit(db, { unit, claims }, { $set: { nextAt: leaseEnd(leaseMs, now) } });
}

/** Leaves those that are still claimed in their state, to be tried at once. Their try counts, or does not. */
export async function releaseUnit(
  db: Db,
  { unit, claims }: UnitClaim,
  { now, isCounted }: { readonly now: Date; readonly isCounted: boolean },
): Promise<void> {
  await setUnit(
    db,
    { unit, claims },
    {
      $set: { nextAt: now.toISOString() },
      $inc: { tries: isCounted ? 0 : -1 },
      $unset: { unit: '' },
    },
  );
}

async function setUnit(
  db: Db,
  { unit, claims }: Pick<UnitClaim, 'unit' | 'claims'>,
  update: UpdateFilter<FilingDoc>,
): Promise<void> {
  for (const _id of inLists(claims.map(({ filing }) => filing._id))) {
    await filingsIn(db).updateMany({ _id, unit }, update);
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
