import { addDays, isBusinessDay } from '../src/domain/calendar.ts';
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

/**
 * Carried filings of the selection, newest first; the numbers that EDGAR does not list; and those that the
 * rest of the selection leaves out: of another form, or filed on other days.
 */
export async function findHistory(context: Context, selection: HistorySelection, signal: AbortSignal) {
  const { ciks = [], accessions = [], from, to, form } = selection;
  const named = await namedFilings(context, accessions, signal);
  const isDays = ciks.length + accessions.length === 0 && from !== undefined && to !== undefined;
  const listed: Listed[] = isDays ? await filingsOfDays(context, { from, to }, signal) : [...named.found];
  for (const cik of ciks) listed.push(...filingsOf(cik, await submissionsOf(context, cik, signal)));
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
  const found = [...filings.values()].sort((a, b) => (a.filedDate < b.filedDate ? 1 : -1));
  const leftOut = named.found.flatMap(({ accession }) => (filings.has(accession) ? [] : [accession]));
  return { found, unknown: named.unknown, leftOut };
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
  const stored = await findByIds(
    filingsIn(context.db),
    named.map(({ accession }) => accession),
    projection,
  );
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

type Days = { readonly from: IsoDate; readonly to: IsoDate };

async function filingsOfDays({ edgar }: Context, { from, to }: Days, signal: AbortSignal): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let day = to; day >= from && !signal.aborted; day = addDays(day, -1)) {
    if (!isBusinessDay(day)) continue;
    const index = repeated(signal, () => edgar.fetchDailyIndex(day));
    const file = await nullOn(index, 'edgar_no_index', 'edgar_not_found');
    if (file !== null) listed.push(...parseMasterIndex(file.bytes).rows);
  }
  return listed;
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
