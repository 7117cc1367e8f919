import type { Db } from 'mongodb';
import { type FilingUnit, parse as queue, sequence } from '../queues/filings.ts';
import { invalidateFilingFollowers } from '../src/derive/report/filing-followers.ts';
import { type ParsedFiling, type StoredFiling, subjectOf } from '../src/domain/filing/filing.ts';
import { LAST_LANE } from '../src/domain/filing/lane.ts';
import type { Accession } from '../src/domain/ids.ts';
import { AppError } from '../src/errors.ts';
import { type FormModule, requireForm } from '../src/forms/index.ts';
import {
  type Claim,
  endStages,
  type Quarantine,
  quarantined,
  triesOf,
  type Unit,
} from '../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { outOfRange, parsedFields } from '../src/store/filing/parsed.ts';
import { readRaws } from '../src/store/filing/raw.ts';
import { dropRows, writeRows } from '../src/store/filing/rows.ts';
import { findAmong } from '../src/store/mongo/lists.ts';
import { compareLive } from './derive.ts';
import { enqueueBriefs, enqueueReports } from './pending/enqueue.ts';
import { CRASH_LOOP, isCrashLoop, runStage, type Suspicion, suspicionOf } from './stage.ts';
import type { Job, JobContext } from './worker/context.ts';
import type { ParseOutcome } from './worker/parse-worker.ts';

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
    const ids = filings.map(({ raw }) => raw.at(-1) ?? '');
    const raws = await readRaws(db, ids);
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

/** A filing as its form's module reads it now. */
export type Reading = {
  readonly filing: ParsedFiling;
  readonly form: FormModule;
  /** SHA-256 (hex) of the bytes that it was read from. */
  readonly raw: string;
  readonly stored: StoredFiling;
};

/** Why a filing is quarantined, and what its header says all the same. */
export type Refusal = Omit<Quarantine, 'at'>;

/**
 * What the parser's answer amounts to; writes nothing.
 * @param raw the digests of the filing's bytes: those that were parsed are the last
 */
export function readingOf(
  forms: JobContext['forms'],
  outcome: ParseOutcome,
  raw: FilingDoc['raw'],
): Reading | Refusal {
  if (!outcome.ok) {
    const { code, message: reason, header } = outcome;
    return { code, reason, ...(header === null ? {} : { subject: subjectOf(header) }) };
  }
  const { filing } = outcome;
  const form = requireForm(forms, filing.header.form);
  const stored = form.stored(filing);
  const refusal = outOfRange(stored);
  if (refusal !== null) return { ...refusal, subject: subjectOf(filing.header) };
  return { filing, form, raw: raw.at(-1) ?? '', stored };
}

/** What a reading says of the stored filing, but for its rows. */
export function fieldsBesideRows({ filing: { header }, form, stored }: Reading) {
  const { rows: _rows, ...fields } = stored;
  return parsedFields({ header, stored: fields, rows: null, form });
}

/**
 * Writes the rows of a reading, and returns all fields that it gives the stored filing: its event and what follows are
 * pending with them.
 */
export async function saveRows(db: Db, filing: FilingDoc, reading: Reading) {
  const { form, raw, stored } = reading;
  const table = { accession: filing._id, source: `${form.parserVersion}|${raw.slice(0, 16)}` };
  // What a data set brought is history and no news.
  const isNews = form.isEvent && filing.seq === null && filing.dataSet === undefined;
  return {
    ...fieldsBesideRows(reading),
    rows: stored.rows === null ? null : await writeRows(db, table, stored.rows),
    parserVersion: form.parserVersion,
    parsedRaw: raw,
    derive: 'pending',
    event: isNews ? 'pending' : filing.event,
  } as const satisfies Partial<FilingDoc>;
}

/**
 * Replaces what was read of a parsed filing in one write, which also marks what follows from it; what a
 * data set said of it gives way to the document. False when a worker or another run has taken the filing
 * since it was read.
 */
export async function replaceReading(
  db: Db,
  filing: FilingDoc,
  fields: Partial<FilingDoc>,
): Promise<boolean> {
  const { _id, fence, state, cik, filedDate, issuerCik, content, rows } = filing;
  const former = content === null ? {} : { former: { cik, filedDate, issuerCik, content } };
  const { matchedCount } = await filingsIn(db).updateOne(
    { _id, fence, state },
    {
      $set: { ...fields, ...former },
      $unset: { dataSet: '', documentWanted: '', missingSince: '', suspectedAt: '', unit: '' },
      $inc: { fence: 1 },
    },
  );
  if (matchedCount === 0) return false;
  const isElsewhere = rows !== null && rows.source !== fields.rows?.source;
  if (isElsewhere) await dropRows(db, _id, rows);
  return true;
}
