import type { Db, Document, Filter } from 'mongodb';
import type {
  FilingContent,
  Follower,
  Leg,
  Ownership,
  ThirteenFContent,
} from '../../domain/filing/filing.ts';
import { LAST_LANE, type Lane } from '../../domain/filing/lane.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import type { PublishedAt } from '../../domain/report/report.ts';
import { findAmong, findByIds } from '../mongo/lists.ts';
import type { StoredRows } from './rows.ts';

/**
 * One document per accession: the pipeline's truth and its outbox. Completing a stage and marking
 * the next one pending is one update of this document; BullMQ only wakes the next stage up.
 */
export type FilingDoc = {
  _id: Accession;
  form: string;
  /** What the module of the form says; null for a form that no brief counts. */
  leg: Leg | null;
  /** The CIK in the archive path: the filer of a 13F, the issuer of an ownership document. */
  cik: Cik;
  company: string;
  filedDate: IsoDate;
  state: 'discovered' | 'fetched' | 'parsed' | 'quarantined';
  discoveredAt: string;
  /** The most urgent way in which it was found. */
  lane: Lane;
  /** The day whose daily index lists it, or listed it last; absent while only the feed has named it. */
  indexDay?: IsoDate;
  /** Since when that index no longer lists it; absent while it does. */
  withdrawnAt?: string;
  /** The current stage is not tried again before this time. */
  nextAt: string;
  tries: number;
  /** Starts of workers (`countedStarts`) at the second try of a stage, or the last crash of the parser; absent otherwise. */
  suspectedAt?: number;
  /** Raised by every claim of a stage; a late write of an earlier claim changes nothing. */
  fence: number;
  /** The run of a stage that has claimed it, alone or with others; absent outside of such a claim. */
  unit?: string;
  /** SHA-256 (hex) of every version of the bytes that was fetched, newest last. */
  raw: string[];
  retrievedAt: string | null;
  /** The data set that it was imported from; absent once it is read from its document. */
  dataSet?: string;
  /** Since when EDGAR has answered that it has no such document, or none to its end; absent while it was not. */
  missingSince?: string;
  /** Set while the document of an imported filing is to be fetched; what the data set says stands until then. */
  documentWanted?: true;
  parserVersion: string | null;
  /** SHA-256 (hex) of the bytes that the parsed fields come from. */
  parsedRaw: string | null;
  publishedAt: PublishedAt | null;
  /** Outbox of the event stream; `none` for forms that it does not carry. */
  event: 'none' | 'pending' | 'published';
  seq: number | null;
  /** Outbox of what follows from the parsed filing: reports to fold, briefs to build. */
  derive: 'none' | 'pending' | 'done';
  /** Copied from the module of the form when the filing was parsed. */
  followers: readonly Follower[];
  /** Why a filing cannot be read. Of a parsed one: why its document cannot replace what a data set says. */
  quarantine: {
    code: string;
    reason: string;
    at: string;
    /** The quarter of a Form 13F by its header; absent where that cannot be read either. */
    quarterEnd?: QuarterEnd;
    /** The operator who keeps it out of the list and of coverage, and when. */
    ignored?: { by: string; at: string };
  } | null;
  /** Null until the filing is parsed. */
  content: FilingContent | null;
  /** The reading that another parser version replaced, until what followed from it is invalidated. */
  former?: FormerReading;
  /** Where the rows of its information table are; null for a form without one. */
  rows: StoredRows | null;
  /** Also of a Form 4 that cannot be read: by its header, else the CIK that it is listed under. */
  issuerCik: Cik | null;
  /** Also of a Form 4 that cannot be read; empty where its header does not say it. */
  reportingOwnerCiks: readonly Cik[];
};

export type FormerReading = Pick<FilingDoc, 'cik' | 'filedDate' | 'issuerCik' | 'content'>;

export const filingsIn = (db: Db) => db.collection<FilingDoc>('filings');

/** All parsed 13F filings of a manager, newest period and filing first. */
export async function filingsOfFund(db: Db, cik: Cik): Promise<FilingDoc[]> {
  return filingsIn(db)
    .find({ cik, state: 'parsed', leg: 'thirteen_f' })
    .sort({ 'content.quarterEnd': -1, filedDate: -1, _id: -1 })
    .toArray();
}

const OWNERSHIP = { state: 1, leg: 1, issuerCik: 1, content: 1 };

/** All parsed Forms 4 and 4/A of an issuer, of every day. */
export async function ownershipOfIssuer(db: Db, issuerCik: Cik): Promise<Ownership[]> {
  // By what is in the index alone: a planner that is asked for more may read every filing instead.
  const docs = await filingsIn(db).find({ issuerCik }, { projection: OWNERSHIP }).toArray();
  return docs.flatMap((doc) => parsedForm4Of(doc) ?? []);
}

/** Those of the filings that are parsed Forms 4 and 4/A of the issuer. */
export async function ownershipAmong(
  db: Db,
  issuerCik: Cik,
  accessions: Iterable<Accession>,
): Promise<Ownership[]> {
  const docs = await findByIds(filingsIn(db), accessions, OWNERSHIP);
  return docs.flatMap((doc) => (doc.issuerCik === issuerCik ? (parsedForm4Of(doc) ?? []) : []));
}

function parsedForm4Of(doc: FilingDoc): Ownership | null {
  return doc.state === 'parsed' ? form4Of(doc) : null;
}

/** The parsed 13F filings of some reports, of every day, with a command for many managers. */
export async function filingsOfReports(
  db: Db,
  keys: readonly ReportKey[],
  projection: Document = {},
): Promise<FilingDoc[]> {
  const quarters = keys.map(({ quarterEnd }) => quarterEnd).sort();
  const docs = await findAmong(filingsIn(db), {
    field: 'cik',
    values: keys.map(({ cik }) => cik),
    where: {
      'content.quarterEnd': { $gte: quarters[0] ?? '', $lte: quarters.at(-1) ?? '' },
      state: 'parsed',
    },
    projection,
  });
  const wanted = new Set(keys.map(reportId));
  return docs.filter((doc) => wanted.has(reportIdOf(doc) ?? ''));
}

/** Since when the feed has listed a filing that is not parsed yet, the oldest by filing date; null without one. */
export async function waitingSince(db: Db): Promise<string | null> {
  const oldest = (state: FilingDoc['state']): Promise<FilingDoc | null> =>
    filingsIn(db).find({ state, lane: 'live' }).sort({ filedDate: 1 }).limit(1).next();
  const found = await Promise.all([oldest('discovered'), oldest('fetched')]);
  const since = found.flatMap((filing) => (filing === null ? [] : [filing.discoveredAt]));
  return since.sort()[0] ?? null;
}

/** The content of a parsed 13F; null for every other filing. */
export function thirteenFOf({ content }: Pick<FilingDoc, 'content'>): ThirteenFContent | null {
  return content?.kind === 'thirteen_f' ? content : null;
}

/** The content of a parsed Form 4; null for every other filing, other ownership documents included. */
export function form4Of({ leg, content }: Pick<FilingDoc, 'leg' | 'content'>): Ownership | null {
  return leg === 'form4' && content?.kind === 'ownership' ? content : null;
}

export type ReportKey = { readonly cik: Cik; readonly quarterEnd: QuarterEnd };

export function reportId(key: ReportKey): string {
  return `${key.cik}|${key.quarterEnd}`;
}

/** Of an id that {@link reportId} made. */
export function reportKeyOf(id: string): ReportKey {
  const [cik, quarterEnd] = id.split('|') as [Cik, QuarterEnd];
  return { cik, quarterEnd };
}

/** The report that a parsed 13F belongs to; null for every other filing. */
export function reportIdOf(filing: Pick<FilingDoc, 'cik' | 'content'>): string | null {
  const report = thirteenFOf(filing);
  return report === null ? null : reportId({ cik: filing.cik, quarterEnd: report.quarterEnd });
}

/** What filings wait in: to be fetched, or parsed. */
export type WaitingState = 'discovered' | 'fetched';

/** Those of history that no stage has failed on, and that have no information table: these are short. */
export function waitingForUnit(state: WaitingState, now: Date): Filter<FilingDoc> {
  const nextAt = { $lte: now.toISOString() };
  return { state, lane: LAST_LANE, leg: { $ne: 'thirteen_f' }, tries: 0, nextAt };
}

/** Whether a filing is fetched and parsed together with others. */
export function isOfUnits({ lane, leg, tries }: Pick<FilingDoc, 'lane' | 'leg' | 'tries'>): boolean {
  return lane === LAST_LANE && leg !== 'thirteen_f' && Number(tries) === 0;
}

/** Whether any filing waits to be fetched or parsed, of one lane or of all. */
export async function hasWaiting(db: Db, lane?: Lane): Promise<boolean> {
  const where = {
    state: { $in: ['discovered', 'fetched'] },
    ...(lane === undefined ? {} : { lane }),
  } as const;
  return (await filingsIn(db).findOne(where, { projection: { _id: 1 } })) !== null;
}

/** Filings that may be claimed together now, of later filing dates first. */
export async function unitCandidates(
  db: Db,
  state: WaitingState,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<Accession[]> {
  const found = await filingsIn(db)
    .find(waitingForUnit(state, now), { projection: { _id: 1 } })
    .sort({ filedDate: -1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}
