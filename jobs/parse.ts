import { type FilingUnit, parse as queue, sequence } from '../queues/filings.ts';
import { invalidateFilingFollowers } from '../src/derive/report/filing-followers.ts';
import { LAST_LANE } from '../src/domain/filing/lane.ts';
import type { Accession } from '../src/domain/ids.ts';
import { AppError } from '../src/errors.ts';
import { type Claim, endStages, quarantined, triesOf, type Unit } from '../src/store/filing/claims.ts';
import { filingsIn } from '../src/store/filing/filings.ts';
import { readRaws } from '../src/store/filing/raw.ts';
import { findAmong } from '../src/store/mongo/lists.ts';
import { compareLive } from './compare.ts';
import { enqueueBriefs, enqueueReports } from './pending/enqueue.ts';
import { type Reading, type Refusal, readingOf, saveRows } from './reading.ts';
import { CRASH_LOOP, isCrashLoop, runStage, type Suspicion, suspicionOf } from './stage.ts';
import type { Job, JobContext } from './worker/context.ts';

/** Longer than the parser's time limit and the writing of the largest table. */
const LEASE_MS = 90_000;

/** The stored bytes are missing or damaged: they are fetched again. */
const RAW_LOST = new Set(['raw_missing', 'raw_damaged']);

/** Parses the stored bytes, of one filing or of a unit of history; the same write says what has to follow. */
export const parse: Job<'parse'> = (context, named) =>
  context.precedence.during('part' in named ? undefined : named.lane, () => parseInTurn(context, named));

async function parseInTurn(context: JobContext, named: FilingUnit): Promise<void> {
  const { db, parser, parsing, precedence } = context;
  // Ahead of the claim, whose tries count: a worker that is killed while it starts is no fault of a filing.
  await parser.started();
  if ('part' in named) await precedence.giveWay();
  // A process that dies takes every filing with it that it parses. One that was in a crash is alone in the next.
  const tries = 'part' in named ? 0 : await triesOf(db, named.accession);
  const turn = tries > 0 ? parsing.alone : parsing.together;
  let accessions: readonly Accession[] = [];
  await turn(async () => {
    const suspicion = await suspicionOf(db, { tries });
    const work = ({ claims }: Unit) => parseClaimed(context, claims, suspicion);
    const stage = { queue, state: 'fetched', leaseMs: LEASE_MS, suspicion, work } as const;
    ({ accessions } = await runStage(context, named, stage));
  });
  await passOn(context, accessions);
}

async function parseClaimed(context: JobContext, claims: readonly Claim[], suspicion: Suspicion) {
  const outcomes = await outcomesOf(context, claims, suspicion);
  const ends = claims.map(async (claim, at) => ({
    claim,
    update: await updateOf(context, claim, outcomes[at] ?? null),
  }));
  await endStages(context.db, await Promise.all(ends));
}

/** Null where the stored bytes are lost. */
type Outcome = Reading | Refusal | null;

async function outcomesOf(
  { db, forms, parser }: JobContext,
  claims: readonly Claim[],
  suspicion: Suspicion,
): Promise<Outcome[]> {
  const filings = claims.map(({ filing }) => filing);
  // One that was tried before is alone.
  if (filings.some((filing) => isCrashLoop(filing, suspicion))) return [CRASH_LOOP];
  try {
    const raws = await readRaws(
      db,
      filings.map(({ raw }) => raw.at(-1) ?? ''),
    );
    const submissions = filings.flatMap(({ _id: accession }, at) => {
      const bytes = raws[at];
      return bytes === undefined ? [] : [{ accession, bytes }];
    });
    const parsed = await parser.parseAll(submissions);
    return parsed.map((outcome, at) => readingOf(forms, outcome, filings[at]?.raw ?? []));
  } catch (error) {
    const isLost = error instanceof AppError && RAW_LOST.has(error.code);
    if (isLost && claims.length === 1) return [null];
    throw error;
  }
}

async function updateOf({ db, log, now }: JobContext, { filing }: Claim, outcome: Outcome) {
  const at = now().toISOString();
  if (outcome === null) return { $set: { state: 'discovered', tries: 0, nextAt: at } } as const;
  if (!('code' in outcome)) {
    // What a data set said of it gives way to the document.
    const $unset = { dataSet: '', suspectedAt: '' } as const;
    return { $set: await saveRows(db, filing, outcome), $unset };
  }
  log.warn({ accession: filing._id, ...outcome }, 'quarantined');
  return quarantined(filing, { ...outcome, at });
}

/**
 * Invalidates what follows from the parsed filings; dispatch repeats it if need be. Reports of a live filing are
 * compared at once. What follows from history is left to the dispatcher, because other filings touch the same.
 */
async function passOn(context: JobContext, accessions: readonly Accession[]): Promise<void> {
  const { db, producer, now } = context;
  const where = { derive: 'pending' } as const;
  const parsed = await findAmong(filingsIn(db), { field: '_id', values: accessions, where });
  if (parsed.length === 0) return;
  const followers = await invalidateFilingFollowers(db, parsed);
  if (parsed.some(({ event }) => event === 'pending'))
    await producer.enqueue(sequence, { slot: Math.floor(now().getTime() / 1_000) });
  const lane = parsed[0]?.lane;
  if (lane === LAST_LANE) return;
  await enqueueBriefs(context, followers.tickers);
  if (lane === 'live') await compareLive(context, followers.reports);
  else await enqueueReports(context, followers.reports);
}
