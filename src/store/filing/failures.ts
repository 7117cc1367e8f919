import type { Db, Filter } from 'mongodb';
import { newestEndedQuarter } from '../../domain/calendar.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
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

/** A Form 13F that was filed and cannot be read, whatever it says of any security. */
export type UnreadReport = Pick<FilingDoc, 'cik' | 'form' | 'filedDate'> & {
  readonly accession: Accession;
  /** Of its header; of one without, the last quarter that had ended when it was filed. */
  readonly quarterEnd: QuarterEnd;
};

type Filed = { readonly since: IsoDate; readonly asOf: IsoDate };

const FIELDS = { cik: 1, form: 1, filedDate: 1, quarantine: 1 };

/** Those filed from `since` to the as-of date, ignored ones included: they were filed (rule 13.2). */
export async function unreadReports(db: Db, { since, asOf }: Filed): Promise<UnreadReport[]> {
  const filedDate = { $gte: since, $lte: asOf };
  return reportsWhere(db, { filedDate });
}

/** Those of one manager. */
export async function unreadReportsOf(db: Db, cik: Cik): Promise<UnreadReport[]> {
  return reportsWhere(db, { cik });
}

async function reportsWhere(db: Db, where: object): Promise<UnreadReport[]> {
  const docs = await filingsIn(db)
    .find({ state: 'quarantined', leg: 'thirteen_f', ...where }, { projection: FIELDS })
    .sort({ _id: 1 })
    .toArray();
  return docs.map(({ _id, cik, form, filedDate, quarantine }) => ({
    ...{ accession: _id, cik, form, filedDate },
    quarterEnd: quarantine?.quarterEnd ?? newestEndedQuarter(filedDate),
  }));
}

/** Whose forms are asked for: of both, those that name both; of neither, all. */
type Parties = { readonly issuerCik?: Cik | null; readonly ownerCik?: Cik | null };
type Days = { readonly since: IsoDate; readonly asOf: IsoDate };

/** The Forms 4 filed on these days that cannot be read, by accession number. One whose owners are not known may be anybody's. */
export async function unreadForms(
  db: Db,
  { issuerCik = null, ownerCik = null }: Parties,
  { since, asOf }: Days,
): Promise<Accession[]> {
  const where = { filedDate: { $gte: since, $lte: asOf }, state: 'quarantined', leg: 'form4' } as const;
  const docs = await filingsIn(db)
    .find(issuerCik === null ? where : { ...where, issuerCik }, { projection: { reportingOwnerCiks: 1 } })
    .toArray();
  const own = docs.filter(
    ({ reportingOwnerCiks: owners }) => ownerCik === null || owners.length === 0 || owners.includes(ownerCik),
  );
  return own.map(({ _id }) => _id).sort();
}
