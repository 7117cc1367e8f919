import { parses as queue, sequence } from '../queues/filings.ts';
import { invalidateFollowers } from '../src/derive/report/invalidate-followers.ts';
import type { Accession } from '../src/domain/ids.ts';
import { AppError } from '../src/errors.ts';
import {
  type Claim,
  claimFiling,
  endStage,
  quarantined,
  quarantineFiling,
  triesOf,
} from '../src/store/filing/claims.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { readRaw, readRaws } from '../src/store/filing/raw.ts';
import { claimUnit, endStages } from '../src/store/filing/unit-claims.ts';
import { findAmong } from '../src/store/mongo/lists.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import { CRASH_LOOP, isCrashLoop, type Suspicion, suspicionOf, underClaim, underUnit } from './claimed.ts';
import { parsedUpdate, type Reading, type Refusal, readingOf, readStored } from './parsed-fields.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import { unitOfFilings } from './pending/units.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Longer than the parser's time limit and the writing of the largest table. */
const LEASE_MS = 90_000;

/** The stored bytes are missing or damaged: they are fetched again. */
const RAW_LOST = new Set(['raw_missing', 'raw_damaged']);

/** Parses the stored bytes; the same write says what has to follow. */
export const parse: Job<'parse'> = (context, { accession, lane }) =>
  context.precedence.during(lane, () => parseOne(context, accession));

async function parseOne(context: JobContext, accession: Accession): Promise<void> {
  // Ahead of the claim, whose tries count: a worker that is killed while it starts is no fault of a filing.
  await context.parser.started();
  const { parsing, db } = context;
  // A process that dies takes every filing with it that it parses. One that was in a crash is alone in the next.
  const tries = await triesOf(db, accession);
  const turn = tries > 0 ? parsing.alone : parsing.together;
  await turn(async () => parseInTurn(context, accession, await suspicionOf(db, { tries })));
}

async function parseInTurn(context: JobContext, accession: Accession, suspicion: Suspicion): Promise<void> {
  const claim = await claimFiling(context.db, accession, {
    state: 'fetched',
    leaseMs: LEASE_MS,
    now: context.now(),
    ...suspicion.noted,
  });
  if (claim === null) return passOn(context, accession);
  await underClaim(context, claim, async () => {
    if (await parseClaimed(context, claim, suspicion)) await passOn(context, accession);
  });
}

/** True when the filing was parsed and stored under its claim. */
async function parseClaimed(context: JobContext, claim: Claim, suspicion: Suspicion): Promise<boolean> {
  const { filing } = claim;
  if (isCrashLoop(filing, suspicion)) return quarantine(context, claim, CRASH_LOOP);
  const raw = filing.raw.at(-1) ?? '';
  const bytes = await readRaw(context.db, raw).catch((error: unknown) => {
    if (error instanceof AppError && RAW_LOST.has(error.code)) return null;
    throw error;
  });
  if (bytes === null) return fetchAgain(context, claim);
  const reading = await readStored(context, bytes, filing);
  return 'code' in reading ? quarantine(context, claim, reading) : saveParsed(context, claim, reading);
}

async function quarantine({ db, log, now }: JobContext, claim: Claim, why: Refusal): Promise<false> {
  await quarantineFiling(db, claim, { ...why, at: now().toISOString() });
  log.warn({ accession: claim.filing._id, ...why }, 'quarantined');
  return false;
}

async function fetchAgain({ db, now }: JobContext, claim: Claim): Promise<false> {
  await endStage(db, claim, { $set: { state: 'discovered', tries: 0, nextAt: now().toISOString() } });
  return false;
}

async function saveParsed({ db }: JobContext, claim: Claim, reading: Reading): Promise<boolean> {
  return endStage(db, claim, await parsedUpdate(db, claim.filing, reading));
}

/** Invalidates what follows from a parsed filing and enqueues it at once; dispatch repeats it if need be. */
async function passOn(context: JobContext, accession: Accession): Promise<void> {
  const filing = await filingsIn(context.db).findOne({ _id: accession });
  if (filing === null || filing.derive !== 'pending') return;
  const followers = await invalidateFollowers(context.db, [filing]);
  const slot = Math.floor(context.now().getTime() / 1_000);
  if (filing.event === 'pending') await context.producer.enqueue(sequence, { slot });
  if (followers.report.length > 0) await enqueuePendingReports(context, followers.report);
  if (followers.brief.length > 0) await enqueuePendingBriefs(context, followers.brief);
}

/**
 * Parses fetched filings of history together: a unit of one part, which takes less than a second, and then the next
 * one. What `parse` does of each is done once for all. Where it fails, `parse` reads each of them alone.
 */
export const parses: Job<'parses'> = async (context, { part }) => {
  const { db, log, parser, parsing, producer, now } = context;
  // Ahead of the claims, whose tries count: a worker that is killed while it starts is no fault of a filing.
  await parser.started();
  await context.precedence.giveWay();
  await parsing.together(async () => {
    const { unit, isLast } = await unitOfFilings(db, 'fetched', { part, now: now() });
    if (unit.length === 0) return;
    const claimed = await claimUnit(db, unit, { state: 'fetched', leaseMs: LEASE_MS, now: now() });
    const work = () => parseUnit(context, claimed.claims);
    const isCounted = (error: unknown): boolean => !isOutage(error);
    await underUnit(context, claimed, { work, isCounted }).catch((err: unknown) => {
      if (isOutage(err)) throw err;
      log.warn({ err, filings: unit.length }, 'a unit of filings is parsed one by one');
    });
    if (!isLast) await producer.enqueue(queue, { part, at: now().getTime() });
  });
};

async function parseUnit(context: JobContext, claims: readonly Claim[]): Promise<void> {
  const { db, log, forms, parser, now } = context;
  const bytes = await readRaws(
    db,
    claims.map(({ filing }) => filing.raw.at(-1) ?? ''),
  );
  const outcomes = await parser.parseAll(
    claims.map(({ filing }, at) => ({ accession: filing._id, bytes: bytes[at] ?? new Uint8Array() })),
  );
  const ends = await Promise.all(
    outcomes.map(async (outcome, at) => {
      const claim = claims[at] as Claim;
      const reading = readingOf(forms, outcome, claim.filing.raw);
      if (!('code' in reading)) return { claim, update: await parsedUpdate(db, claim.filing, reading) };
      log.warn({ accession: claim.filing._id, ...reading }, 'quarantined');
      return { claim, update: quarantined(claim.filing, { ...reading, at: now().toISOString() }) };
    }),
  );
  await endStages(db, ends);
  await passUnitOn(context, claims);
}

/** Invalidates what follows from the parsed filings; dispatch repeats it if need be, and enqueues it. */
async function passUnitOn({ db, producer, now }: JobContext, claims: readonly Claim[]): Promise<void> {
  const parsed = await findAmong(filingsIn(db), {
    field: '_id',
    values: claims.map(({ filing }) => filing._id),
    where: { derive: 'pending' },
  });
  if (parsed.length === 0) return;
  await invalidateFollowers(db, parsed);
  if (!parsed.some(({ event }) => event === 'pending')) return;
  await producer.enqueue(sequence, { slot: Math.floor(now().getTime() / 1_000) });
}
