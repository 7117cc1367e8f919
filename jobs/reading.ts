import type { Db } from 'mongodb';
import { type ParsedFiling, type StoredFiling, subjectOf } from '../src/domain/filing/filing.ts';
import { type FormModule, requireForm } from '../src/forms/index.ts';
import type { Quarantine } from '../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { outOfRange, parsedFields } from '../src/store/filing/parsed.ts';
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
