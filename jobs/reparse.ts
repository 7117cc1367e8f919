import { isDeepStrictEqual } from 'node:util';
import type { Db, Filter } from 'mongodb';
import type { FilingContent, InfoTableRow } from '../src/domain/filing/filing.ts';
import type { Accession, IsoDate } from '../src/domain/ids.ts';
import { AppError } from '../src/errors.ts';
import { quarantined } from '../src/store/filing/claims.ts';
import { NOT_IGNORED } from '../src/store/filing/failures.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { readRaw } from '../src/store/filing/raw.ts';
import { readRows } from '../src/store/filing/rows.ts';
import { noteReparsed } from '../src/store/filing/settings.ts';
import {
  fieldsBesideRows,
  type Reading,
  type Refusal,
  readingOf,
  replaceReading,
  saveRows,
} from './parse.ts';
import type { JobContext } from './worker/context.ts';

/** Which filings: those of a form type, those filed since a day. */
export type Selection = { readonly form?: string; readonly since?: IsoDate };

/**
 * What another parser version makes of a filing. `same`: it reads the same. `changed`: it reads something
 * else. `refused`: it was read and is quarantined now. `accepted`: it was quarantined and is read now.
 * `failed`: it still cannot be read. `crashed`: the parser broke or took too long, and the filing stays as
 * it is. `lost`: its bytes are missing or damaged. `moved`: a worker had it, or has not yet followed it.
 */
export type Outcome = 'same' | 'changed' | 'refused' | 'accepted' | 'failed' | 'crashed' | 'lost' | 'moved';

export type Reparsed = {
  readonly accession: Accession;
  readonly form: string;
  readonly outcome: Outcome;
  /** The fields that differ, or the reason of a refusal. */
  readonly detail: string;
};

type Options = {
  /** Filings that are read at the same time. */
  readonly concurrency: number;
  readonly isDryRun: boolean;
  readonly each: (one: Reparsed) => void;
};

/** Ids that are read at a time. */
const PAGE = 1_000;

type Context = Pick<JobContext, 'db' | 'parser' | 'forms' | 'now'>;

/**
 * Filings that another parser version read, and those that no version could read. A filing read by the
 * present version is left out: the same version reads the same bytes alike. So is one without bytes, which
 * was imported from a data set.
 */
function outdated({ forms }: Pick<Context, 'forms'>, { form, since }: Selection): Filter<FilingDoc> {
  const read = forms.flatMap(({ carries, parserVersion }) =>
    carries.map((type) => ({ state: 'parsed' as const, form: type, parserVersion: { $ne: parserVersion } })),
  );
  const refused = { state: 'quarantined' as const, ...NOT_IGNORED };
  return {
    $or: [...read, refused],
    'raw.0': { $exists: true },
    ...(form === undefined ? {} : { form }),
    ...(since === undefined ? {} : { filedDate: { $gte: since } }),
  };
}

export function countOutdated(context: Context, selection: Selection): Promise<number> {
  return filingsIn(context.db).countDocuments(outdated(context, selection));
}

/**
 * Reads the stored bytes of the selected filings again. Each filing keeps its reading until the new one
 * replaces it in one write, which also marks what follows from it; so a stop at any point loses nothing,
 * and the next run goes on with the rest. A dry run writes nothing.
 */
export async function reparse(context: Context, selection: Selection, options: Options): Promise<void> {
  if (!options.isDryRun) await noteReparsed(context.db, context.now().toISOString());
  const ids = idsOf(context, selection);
  const readNext = async (): Promise<void> => {
    for await (const id of ids) options.each(await reparseOne(context, id, options));
  };
  await Promise.all(Array.from({ length: options.concurrency }, readNext));
  // Once more: a brief may have been built while filings were replaced.
  if (!options.isDryRun) await noteReparsed(context.db, context.now().toISOString());
}

/** In the order of accession numbers, some at a time: the full market has millions. */
async function* idsOf(context: Context, selection: Selection): AsyncGenerator<Accession> {
  const selected = outdated(context, selection);
  let after = '' as Accession;
  for (;;) {
    const page = await filingsIn(context.db)
      .find({ ...selected, _id: { $gt: after } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    for (const { _id } of page) {
      after = _id;
      yield _id;
    }
    if (page.length < PAGE) return;
  }
}

async function reparseOne(context: Context, accession: Accession, options: Options): Promise<Reparsed> {
  const filing = await filingsIn(context.db).findOne({ _id: accession });
  const told = { accession, form: filing?.form ?? '' };
  // What follows from an earlier reading is not marked yet: this one would hide it.
  if (filing === null || filing.derive === 'pending') return { ...told, outcome: 'moved', detail: '' };
  try {
    return { ...told, ...(await readAgain(context, filing, options)) };
  } catch (error) {
    const outcome = error instanceof AppError ? UNREADABLE[error.code] : undefined;
    if (outcome === undefined || !(error instanceof AppError)) throw error;
    return { ...told, outcome, detail: error.message };
  }
}

/** One such filing stops no other. */
const UNREADABLE: Partial<Record<string, Outcome>> = {
  raw_missing: 'lost',
  raw_damaged: 'lost',
  parse_crashed: 'crashed',
  parse_timeout: 'crashed',
};

type Answer = Pick<Reparsed, 'outcome' | 'detail'>;

async function readAgain(context: Context, filing: FilingDoc, { isDryRun }: Options): Promise<Answer> {
  const bytes = await readRaw(context.db, filing.raw.at(-1) ?? '');
  const parsed = await context.parser.parse(bytes, filing._id);
  const reading = readingOf(context.forms, parsed, filing.raw);
  if ('code' in reading) return refuse(context, filing, { isDryRun, ...reading });
  const isNew = filing.state === 'quarantined';
  const changes = isNew ? [] : await changesOf(context, filing, reading);
  const outcome = isNew ? 'accepted' : changes.length > 0 ? 'changed' : 'same';
  const isKept =
    isDryRun || (await replaceReading(context.db, filing, await saveRows(context.db, filing, reading)));
  return { outcome: isKept ? outcome : 'moved', detail: changes.join(', ') };
}

type Refused = Refusal & { readonly isDryRun: boolean };

async function refuse(context: Context, filing: FilingDoc, { isDryRun, ...why }: Refused): Promise<Answer> {
  const detail = `${why.code}: ${why.reason}`;
  // What a data set says of a filing stands until its document can be read.
  if (filing.state === 'quarantined' || filing.dataSet !== undefined) return { outcome: 'failed', detail };
  const { $set: set } = quarantined(filing, { ...why, at: context.now().toISOString() });
  const fields = { ...set, content: null, rows: null, derive: 'pending' } as const;
  const isKept = isDryRun || (await replaceReading(context.db, filing, fields));
  return { outcome: isKept ? 'refused' : 'moved', detail };
}

/** Names of what the two readings say differently. */
async function changesOf({ db }: Context, filing: FilingDoc, reading: Reading): Promise<string[]> {
  const { content: now, rows: _rows, tries: _tries, ...fields } = fieldsBesideRows(reading);
  const changed = (Object.keys(fields) as (keyof typeof fields)[]).filter(
    (name) => !isDeepStrictEqual(filing[name], fields[name]),
  );
  const content = filing.content === null ? [] : fieldsThatDiffer(filing.content, now);
  return [...changed, ...content, ...(await rowsThatDiffer(db, filing, reading.stored.rows ?? []))];
}

async function rowsThatDiffer(db: Db, { _id, rows }: FilingDoc, after: readonly InfoTableRow[]) {
  const before = rows === null ? [] : await readRows(db, _id, rows).catch(orMissing);
  if (before === null) return ['rows, which were missing'];
  const differing = after.filter((row, at) => !isDeepStrictEqual(row, before[at])).length;
  const count = differing + Math.max(0, before.length - after.length);
  return count === 0 ? [] : [`${count} of ${Math.max(before.length, after.length)} rows`];
}

function orMissing(error: unknown): null {
  if (error instanceof AppError && error.code === 'rows_missing') return null;
  throw error;
}

function fieldsThatDiffer(before: FilingContent, after: FilingContent): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof FilingContent)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
