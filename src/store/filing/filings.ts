import type { Collection, Db } from 'mongodb';
import type { Ownership, ThirteenF } from '../../domain/filing/filing.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../../domain/ids.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { PublishedAt } from '../../domain/report/report.ts';

/**
 * One document per accession: the pipeline's truth and its outbox. Completing a stage and marking
 * the next one pending is one update of this document; BullMQ only wakes the next stage up.
 */
export type FilingDoc = {
  _id: Accession;
  form: string;
  /** The CIK in the archive path: the filer of a 13F, the issuer of a Form 4. */
  cik: Cik;
  company: string;
  filedDate: IsoDate;
  state: 'discovered' | 'fetched' | 'parsed' | 'quarantined';
  discoveredAt: string;
  /** Not before this time is the current stage tried again. */
  nextAt: string;
  attempt: number;
  /** Raised by every claim of a stage; a late write of an earlier claim changes nothing. */
  fence: number;
  /** SHA-256 (hex) of every version of the bytes that was fetched, newest last. */
  raw: string[];
  retrievedAt: string | null;
  parserVersion: string | null;
  /** SHA-256 (hex) of the bytes that the parsed fields come from. */
  parsedRaw: string | null;
  publishedAt: PublishedAt | null;
  /** Outbox of the event stream; `none` for forms that it does not carry. */
  event: 'none' | 'pending' | 'published';
  seq: number | null;
  /** Outbox of what follows from the parsed filing: reports to fold, briefs to build. */
  derive: 'none' | 'pending' | 'done';
  quarantine: { code: string; reason: string; at: string } | null;
  thirteenF: ThirteenFSummary | null;
  ownership: Ownership | null;
  issuerCik: Cik | null;
  ownerCiks: Cik[];
  /** Ticker of an event, resolved when the filing was parsed; empty when there is none. */
  ticker: string;
};

/** A 13F without its rows (they are in `rows.ts`); 64-bit totals as bigint. */
export type ThirteenFSummary = Omit<ThirteenF, 'rows' | 'header' | 'kind' | 'declaredValueTotal'> & {
  declaredValueTotal: bigint | null;
  header: ThirteenF['header'];
  rowCount: number;
  rowPages: number;
  /** Names the row pages: parser version and bytes. */
  rowsVersion: string;
  /** Equity positions and their value in this filing alone. */
  holdingsCount: number;
  valueCents: bigint;
  reasons: Reason[];
};

export function filingsIn(db: Db): Collection<FilingDoc> {
  return db.collection<FilingDoc>('filings');
}

/** All parsed 13F filings of a manager, newest period and filing first. */
export async function filingsOfFund(db: Db, cik: Cik): Promise<FilingDoc[]> {
  return filingsIn(db)
    .find({ cik, state: 'parsed', thirteenF: { $ne: null } })
    .sort({ 'thirteenF.quarterEnd': -1, filedDate: -1, _id: -1 })
    .toArray();
}

/** The filings that one (manager, quarter) is folded from, filed on or before `asOf`. */
export async function filingsOfReport(db: Db, report: ReportKey, asOf: IsoDate): Promise<FilingDoc[]> {
  return filingsIn(db)
    .find({
      cik: report.cik,
      'thirteenF.quarterEnd': report.quarterEnd,
      state: 'parsed',
      filedDate: { $lte: asOf },
    })
    .toArray();
}

/** All parsed Forms 4 and 4/A of an issuer, of every day. */
export async function ownershipOfIssuer(db: Db, issuerCik: Cik): Promise<Ownership[]> {
  const docs = await filingsIn(db)
    // By what is in the index alone: a planner that is asked for more may read every filing instead.
    .find({ issuerCik }, { projection: { state: 1, ownership: 1 } })
    .toArray();
  return docs.flatMap(({ state, ownership }) =>
    state !== 'parsed' || ownership === null ? [] : [ownership],
  );
}

export type ReportKey = { readonly cik: Cik; readonly quarterEnd: QuarterEnd };

export function reportId(key: ReportKey): string {
  return `${key.cik}|${key.quarterEnd}`;
}
