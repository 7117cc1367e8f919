import { parses as queue } from '../queues/parses.ts';
import { sequence } from '../queues/sequence.ts';
import { invalidateFollowers } from '../src/derive/report/invalidate-followers.ts';
import { type Claim, quarantined } from '../src/store/filing/claims.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { readRaws } from '../src/store/filing/raw.ts';
import { claimUnit, endStages } from '../src/store/filing/unit-claims.ts';
import { findAmong } from '../src/store/mongo/lists.ts';
import { isOutage } from '../src/store/mongo/write.ts';
import { underUnit } from './claimed.ts';
import { parsedUpdate, readingOf } from './parsed-fields.ts';
import { unitOfFilings } from './pending/filing-units.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Longer than the parser's time limit and the writing of all filings of a unit. */
const LEASE_MS = 90_000;

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
  await passOn(context, claims);
}

/** Invalidates what follows from the parsed filings; dispatch repeats it if need be, and enqueues it. */
async function passOn({ db, producer, now }: JobContext, claims: readonly Claim[]): Promise<void> {
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
