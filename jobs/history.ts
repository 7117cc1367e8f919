import { addDays, isBusinessDay } from '../src/domain/calendar.ts';
import { compare } from '../src/domain/compare.ts';
import { type Accession, type Cik, type IsoDate, parseCik } from '../src/domain/ids.ts';
import type { Submissions } from '../src/edgar/client/open.ts';
import { nullOn } from '../src/edgar/error.ts';
import { parseMasterIndex } from '../src/edgar/listing/daily-index.ts';
import { repeated } from '../src/edgar/repeated.ts';
import { FORMS, formFor } from '../src/forms/index.ts';
import { discoverFilings, type FoundFiling, wantDocuments } from '../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { findByIds } from '../src/store/mongo/lists.ts';
import type { JobContext } from './worker/context.ts';

/** Which filings of the past an operator asks for: by who files, by number, or by day. */
export type HistorySelection = {
  readonly ciks?: readonly Cik[];
  readonly accessions?: readonly NamedFiling[];
  readonly from?: IsoDate;
  readonly to?: IsoDate;
  readonly form?: string;
};

/** A party's CIK finds what is not stored; without one the first part of the number is tried. */
export type NamedFiling = { readonly accession: Accession; readonly cik: Cik | null };

type Context = Pick<JobContext, 'db' | 'edgar'>;
type Listed = Omit<FoundFiling, 'leg'>;

/** What is found at once: on a day, or of all that is named. */
export type HistoryPart = {
  /** Null for what is named. */
  readonly day: IsoDate | null;
  /** Carried filings of the selection, newest first, each in one part only. */
  readonly found: readonly FoundFiling[];
  /** Numbers that EDGAR does not list. */
  readonly unknown: readonly Accession[];
  /** CIKs that EDGAR does not know. */
  readonly unknownCiks: readonly Cik[];
  /** Numbers that the rest of the selection leaves out: of another form, or filed on other days. */
  readonly leftOut: readonly Accession[];
};

/**
 * Finds the filings of the selection: those of days by {@link historyDays}, so that the caller can leave a day to the
 * workers before the next one is read. At full size only a day is in memory: an index lists every form.
 */
export async function* findHistory(
  context: Context,
  selection: HistorySelection,
  signal: AbortSignal,
): AsyncGenerator<HistoryPart> {
  const days = historyDays(selection);
  if (days === null) yield await namedPart(context, selection, signal);
  const seen = new Set<Accession>();
  for (const day of days ?? []) {
    if (signal.aborted) return;
    const listed = carriedOf(await filingsOfDay(context, day, signal), selection);
    const found = listed.filter(({ accession }) => !seen.has(accession));
    for (const { accession } of found) seen.add(accession);
    yield { day, found, unknown: [], unknownCiks: [], leftOut: [] };
  }
}

/** The business days of a selection by days, newest first; null for one that names filers or filings. */
export function historyDays({ ciks, accessions, from, to }: HistorySelection): IsoDate[] | null {
  if (ciks !== undefined || accessions !== undefined || from === undefined || to === undefined) return null;
  const days: IsoDate[] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) if (isBusinessDay(day)) days.push(day);
  return days;
}

async function namedPart(
  context: Context,
  selection: HistorySelection,
  signal: AbortSignal,
): Promise<HistoryPart> {
  const named = await namedFilings(context, selection.accessions ?? [], signal);
  const listed = [...named.found];
  const unknownCiks: Cik[] = [];
  for (const cik of selection.ciks ?? []) {
    const submissions = await submissionsOf(context, cik, signal);
    if (submissions === null) unknownCiks.push(cik);
    for (const one of filingsOf(cik, submissions)) listed.push(one);
  }
  const found = carriedOf(listed, selection);
  const accessions = new Set(found.map(({ accession }) => accession));
  const leftOut = named.found.flatMap(({ accession }) => (accessions.has(accession) ? [] : [accession]));
  return { day: null, found, unknown: named.unknown, unknownCiks, leftOut };
}

/** Each once, newest first. */
function carriedOf(listed: readonly Listed[], { from, to, form }: HistorySelection): FoundFiling[] {
  const filings = new Map<Accession, FoundFiling>();
  const isAsked = (one: Listed): boolean =>
    (form === undefined || one.form === form) &&
    (from === undefined || one.filedDate >= from) &&
    (to === undefined || one.filedDate <= to);
  for (const one of listed) {
    const module = formFor(FORMS, one.form);
    if (module === null || !isAsked(one)) continue;
    filings.set(one.accession, { ...one, leg: module.leg, lane: 'backfill' });
  }
  return [...filings.values()].sort((a, b) => compare(b.filedDate, a.filedDate));
}

async function submissionsOf({ edgar }: Context, cik: Cik, signal: AbortSignal): Promise<Submissions | null> {
  return nullOn(
    repeated(signal, () => edgar.listSubmissions(cik)),
    'edgar_not_found',
  );
}

function filingsOf(cik: Cik, submissions: Submissions | null): Listed[] {
  const { company = '', filings = [] } = submissions ?? {};
  return filings.map((filing) => ({ ...filing, cik, company }));
}

/** What is stored is known; of the rest one list for each CIK is read. */
async function namedFilings(context: Context, named: readonly NamedFiling[], signal: AbortSignal) {
  const projection = { cik: 1, form: 1, company: 1, filedDate: 1 };
  const accessions = named.map(({ accession }) => accession);
  const stored = await findByIds(filingsIn(context.db), accessions, projection);
  const found: Listed[] = stored.map(({ _id: accession, cik, form, company, filedDate }) => ({
    ...{ accession, cik, form, company, filedDate },
  }));
  const known = new Set(found.map(({ accession }) => accession));
  const left = new Map(named.flatMap((one) => (known.has(one.accession) ? [] : [[one.accession, one]])));
  for (const { accession, cik = null } of left.values()) {
    const party = cik ?? parseCik(accession.slice(0, 10));
    // One list may have settled it already.
    if (party === null || !left.has(accession)) continue;
    for (const one of filingsOf(party, await submissionsOf(context, party, signal)))
      if (left.delete(one.accession)) found.push(one);
  }
  return { found, unknown: [...left.keys()] };
}

/** Nothing for a day without an index. */
async function filingsOfDay(
  { edgar }: Context,
  day: IsoDate,
  signal: AbortSignal,
): Promise<readonly Listed[]> {
  const index = repeated(signal, () => edgar.fetchDailyIndex(day));
  const file = await nullOn(index, 'edgar_no_index', 'edgar_not_found');
  return file === null ? [] : parseMasterIndex(file.bytes).rows;
}

/** What is to be fetched, and what needs no fetching. */
export type HistoryPlan = {
  readonly fresh: readonly FoundFiling[];
  readonly imported: readonly Accession[];
  /** Asked for before, and not there yet. */
  readonly waiting: readonly Accession[];
  readonly stored: readonly Accession[];
};

export async function planHistory({ db }: Context, found: readonly FoundFiling[]): Promise<HistoryPlan> {
  const docs = await findByIds(
    filingsIn(db),
    found.map(({ accession }) => accession),
    { state: 1, dataSet: 1, documentWanted: 1 },
  );
  const kinds = new Map(docs.map((doc) => [doc._id, kindOf(doc)]));
  const of = (kind: Kind): Accession[] =>
    found.flatMap(({ accession }) => (kinds.get(accession) === kind ? [accession] : []));
  return {
    fresh: found.filter(({ accession }) => !kinds.has(accession)),
    imported: of('imported'),
    waiting: of('waiting'),
    stored: of('stored'),
  };
}

type Kind = 'imported' | 'waiting' | 'stored';

function kindOf(filing: Pick<FilingDoc, 'state' | 'dataSet' | 'documentWanted'>): Kind {
  if (isWaiting(filing)) return 'waiting';
  return filing.state === 'parsed' && filing.dataSet !== undefined ? 'imported' : 'stored';
}

function isWaiting({ state, documentWanted }: Pick<FilingDoc, 'state' | 'documentWanted'>): boolean {
  return documentWanted === true || state === 'discovered' || state === 'fetched';
}

/** Leaves the filings to the workers. */
export async function wantHistory({ db }: Context, { fresh, imported }: HistoryPlan, now: Date) {
  await discoverFilings(db, fresh, now);
  await wantDocuments(db, imported, now.toISOString());
}

export type HistoryFailure = {
  readonly accession: Accession;
  readonly code: string;
  readonly reason: string;
};

/** Those of the filings that no worker has to do anything with, and which of them could not be read. */
export async function endedAmong({ db }: Pick<Context, 'db'>, accessions: readonly Accession[]) {
  const docs = await findByIds(filingsIn(db), accessions, { state: 1, documentWanted: 1, quarantine: 1 });
  const ended = docs.filter((doc) => !isWaiting(doc));
  const failures = ended.flatMap(({ _id: accession, quarantine }): HistoryFailure[] =>
    quarantine === null ? [] : [{ accession, code: quarantine.code, reason: quarantine.reason }],
  );
  return { ended: ended.map(({ _id }) => _id), failures };
}
