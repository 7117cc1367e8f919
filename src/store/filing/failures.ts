import type { Db, Filter } from 'mongodb';
import type { Accession } from '../../domain/ids.ts';
import { type FilingDoc, filingsIn } from './filings.ts';

export const FAILURE_STAGES = ['fetch', 'parse'] as const;
export type FailureStage = (typeof FAILURE_STAGES)[number];

/** Which failures; every field that is given must match. */
export type FailureFilter = {
  readonly accession?: Accession;
  readonly form?: string;
  readonly stage?: FailureStage;
  /** The reason's code. */
  readonly code?: string;
};

/** Excludes the quarantined filings that an operator ignores (rule 13.2). */
export const NOT_IGNORED = { 'quarantine.ignored': { $exists: false } } as const;

/** Of any code. */
const ANY_CODE = { $gt: '' };

/** Without stored bytes it was the fetch that gave up. */
export function failureStage({ raw }: Pick<FilingDoc, 'raw'>): FailureStage {
  return raw.length === 0 ? 'fetch' : 'parse';
}

/** Quarantined filings, and imported ones whose document could not be had or read. */
function matching({ accession, form, stage, code }: FailureFilter): Filter<FilingDoc> {
  return {
    'quarantine.code': code ?? ANY_CODE,
    ...(accession === undefined ? {} : { _id: accession }),
    ...(form === undefined ? {} : { form }),
    ...(stage === undefined ? {} : { 'raw.0': { $exists: stage === 'parse' } }),
  };
}

type Page = { readonly ignored: boolean; readonly limit: number };

/** By accession number, with how many there are. */
export async function listFailures(db: Db, filter: FailureFilter, page: Page) {
  const where = { ...matching(filter), 'quarantine.ignored': { $exists: page.ignored } };
  const docs = await filingsIn(db)
    .find(where, { sort: { _id: 1 }, limit: page.limit })
    .toArray();
  const total = docs.length < page.limit ? docs.length : await filingsIn(db).countDocuments(where);
  return { docs, total };
}

/** The codes that failures have, ignored ones included. */
export async function failureCodes(db: Db): Promise<string[]> {
  return (await filingsIn(db).distinct('quarantine.code', matching({}))).sort();
}

export async function failureOf(db: Db, accession: Accession): Promise<FilingDoc | null> {
  return filingsIn(db).findOne(matching({ accession }));
}

export async function countIgnored(db: Db): Promise<number> {
  return filingsIn(db).countDocuments({ state: 'quarantined', 'quarantine.ignored': { $exists: true } });
}

/** An import stands until its document is read. */
const IS_IMPORT = { $eq: ['$state', 'parsed'] };
const WITHOUT_IMPORT = { $cond: [{ $eq: ['$raw', []] }, 'discovered', 'fetched'] };
const RETRIED = {
  state: { $cond: [IS_IMPORT, 'parsed', WITHOUT_IMPORT] },
  documentWanted: { $cond: [IS_IMPORT, true, '$$REMOVE'] },
  missingSince: '$$REMOVE',
};

/**
 * Parses the stored bytes again, or fetches where none are stored; the document of an import is fetched in
 * either case. Returns how many filings.
 */
export async function retryFailures(db: Db, filter: FailureFilter, at: string): Promise<number> {
  const isOne = filter.accession !== undefined;
  const result = await filingsIn(db).updateMany({ ...matching(filter), ...(isOne ? {} : NOT_IGNORED) }, [
    { $set: { quarantine: null, nextAt: at, fence: { $add: ['$fence', 1] }, ...RETRIED } },
  ]);
  return result.modifiedCount;
}

/**
 * Keeps the filings out of the list and of the coverage of briefs. A retry removes the mark. Returns how
 * many filings; one that is ignored already keeps its mark.
 */
export async function ignoreFailures(
  db: Db,
  filter: FailureFilter,
  mark: { readonly by: string; readonly at: string },
): Promise<number> {
  const result = await filingsIn(db).updateMany(
    { ...matching(filter), ...NOT_IGNORED },
    { $set: { 'quarantine.ignored': mark } },
  );
  return result.modifiedCount;
}
