import type { Db } from 'mongodb';
import { type ParsedFiling, type StoredFiling, subjectOf } from '../src/domain/filing/filing.ts';
import { type FormModule, requireForm } from '../src/forms/index.ts';
import type { Quarantine } from '../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { parsedFields as fieldsOfParsed, outOfRange } from '../src/store/filing/parsed.ts';
import { dropRows, writeRows } from '../src/store/filing/rows.ts';
import type { JobContext } from './worker/context.ts';
import type { ParseOutcome } from './worker/parse-worker.ts';

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

/** What the parser's answer amounts to, before anything is written. */
export async function readStored(
  { parser, forms }: Pick<JobContext, 'parser' | 'forms'>,
  bytes: Uint8Array,
  { _id, raw }: Pick<FilingDoc, '_id' | 'raw'>,
): Promise<Reading | Refusal> {
  return readingOf(forms, await parser.parse(bytes, _id), raw);
}

/** The same of an answer that is there. `raw`: the digests of the filing's bytes, those that were parsed last. */
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

/** Outbox of the event stream. What a data set brought is history and no news. */
export function eventOf(
  { seq, event, dataSet }: Pick<FilingDoc, 'seq' | 'event' | 'dataSet'>,
  { isEvent }: Pick<FormModule, 'isEvent'>,
): FilingDoc['event'] {
  return isEvent && seq === null && dataSet === undefined ? 'pending' : event;
}

/** All fields that a reading gives the stored filing but for its rows; writes nothing. */
export function headFields({ filing: { header }, form, stored }: Reading) {
  const { rows: _rows, ...fields } = stored;
  return fieldsOfParsed({ header, stored: fields, rows: null, form });
}

/** Writes the rows of a reading and returns all fields that it gives the stored filing. */
export async function parsedFields(db: JobContext['db'], reading: Reading) {
  const { filing, form, raw, stored } = reading;
  const table = { accession: filing.header.accession, source: `${form.parserVersion}|${raw.slice(0, 16)}` };
  return {
    ...headFields(reading),
    rows: stored.rows === null ? null : await writeRows(db, table, stored.rows),
    parserVersion: form.parserVersion,
    parsedRaw: raw,
    derive: 'pending',
  } as const satisfies Partial<FilingDoc>;
}

/** The update that ends the stage of a filing that was read: its event and what follows are pending with it. */
export async function parsedUpdate(db: JobContext['db'], filing: FilingDoc, reading: Reading) {
  const event = eventOf(filing, reading.form);
  // What a data set said of it gives way to the document.
  return {
    $set: { ...(await parsedFields(db, reading)), event },
    $unset: { dataSet: '' as const, suspectedAt: '' as const },
  };
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
