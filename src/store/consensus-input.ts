import type { Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../domain/canonical.ts';
import type { FiledPosition, FiledReport, FiledReports, FiledSecurity } from '../domain/filed-security.ts';
import type { Cik, Cusip, QuarterEnd } from '../domain/ids.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../domain/quarter.ts';
import { bucketName, type ManagerPosition, POSITION_BUCKETS, positionsOfBuckets } from './positions.ts';
import { type ReportDoc, reportsIn } from './reports.ts';

/** Raised when equal reports get other answers: what was computed before is computed again. */
export const CONSENSUS_METHOD = 'consensus.v1';

/** Slices of three quarters read at once: what is in memory is this part of their positions. */
const BUCKETS_AT_ONCE = 4;
const CIKS_AT_ONCE = 100;

type Seen = Pick<ReportDoc, 'cik' | 'version' | 'filed' | 'filings'>;

/** The reports that a quarter's consensus is computed from, with the versions of their rows. */
export type FiledQuarters = {
  readonly reports: FiledReports;
  /** By (cik, quarter end), of the reports as filed: nothing that is concluded from them is in it. */
  readonly fingerprint: string;
  readonly seen: Readonly<Record<Side, ReadonlyMap<Cik, Seen>>>;
};

type Side = 'prior' | 'current' | 'next';
const SIDES = ['prior', 'current', 'next'] as const satisfies readonly Side[];

function quartersOf(quarterEnd: QuarterEnd): Record<Side, QuarterEnd> {
  return { prior: previousQuarterEnd(quarterEnd), current: quarterEnd, next: nextQuarterEnd(quarterEnd) };
}

/** The quarter itself, the one before and the one after, notices included. */
export async function filedQuarters(db: Db, quarterEnd: QuarterEnd): Promise<FiledQuarters> {
  const quarters = quartersOf(quarterEnd);
  const [prior, current, next] = await Promise.all([
    seenIn(db, quarters.prior),
    seenIn(db, quarters.current),
    seenIn(db, quarters.next),
  ]);
  const seen = { prior, current, next };
  const newcomers = [...seen.current.keys()].filter((cik) => !seen.prior.has(cik));
  // Where nobody reported the quarter before, nobody's book can have been taken over.
  const earlierFilers = seen.prior.size === 0 ? [] : await filersBefore(db, newcomers, quarters.prior);
  const filed = Object.values(seen).map((side) =>
    [...side].map(([cik, report]) => [cik, report.filed.version]),
  );
  return {
    reports: {
      quarterEnd,
      prior: [...seen.prior.values()].map(filedReport),
      current: [...seen.current.values()].map(filedReport),
      next: [...seen.next.values()].map(filedReport),
      earlierFilers: new Set(earlierFilers),
    },
    fingerprint: sha256Hex(canonicalJson([CONSENSUS_METHOD, filed, earlierFilers])),
    seen,
  };
}

/** In order of CIK. */
async function seenIn(db: Db, quarterEnd: QuarterEnd): Promise<Map<Cik, Seen>> {
  const docs = await reportsIn(db)
    .find({ quarterEnd }, { projection: { cik: 1, version: 1, filed: 1, filings: 1 } })
    .toArray();
  return new Map(docs.sort((a, b) => (a.cik < b.cik ? -1 : 1)).map((doc) => [doc.cik, doc]));
}

/**
 * Whether the rows of every version seen are still kept: one that was dropped may have been read in
 * part. A report that was switched once, or is gone, has its rows; see `report-writer.ts`.
 */
export async function areRowsKept(
  db: Db,
  { seen, reports: { quarterEnd } }: FiledQuarters,
): Promise<boolean> {
  const quarters = quartersOf(quarterEnd);
  for (const side of SIDES) {
    const docs = await reportsIn(db)
      .find({ quarterEnd: quarters[side] }, { projection: { cik: 1, version: 1, previous: 1 } })
      .toArray();
    for (const { cik, version, previous } of docs) {
      const read = seen[side].get(cik)?.version ?? version;
      if (read !== version && !previous.some((shown) => shown.version === read)) return false;
    }
  }
  return true;
}

async function filersBefore(db: Db, ciks: readonly Cik[], quarterEnd: QuarterEnd): Promise<Cik[]> {
  const found = new Set<Cik>();
  for (let start = 0; start < ciks.length; start += CIKS_AT_ONCE) {
    const docs = await reportsIn(db)
      .find(
        { cik: { $in: ciks.slice(start, start + CIKS_AT_ONCE) }, quarterEnd: { $lt: quarterEnd } },
        { projection: { cik: 1 } },
      )
      .toArray();
    for (const { cik } of docs) found.add(cik);
  }
  return [...found].sort();
}

function filedReport({ cik, filed, filings }: Seen): FiledReport {
  const contributing = filings.filter(({ role }) => role === 'base' || role === 'supplement');
  return {
    cik,
    filings: contributing.map(({ accession, filedDate }) => ({ accession, filedDate })),
    isComparable: filed.isComparable,
  };
}

/** Every security held at one of the three quarter ends, bucket by bucket. */
export async function* filedSecurities(
  db: Db,
  { seen, reports: { quarterEnd } }: FiledQuarters,
): AsyncGenerator<FiledSecurity> {
  const quarters = quartersOf(quarterEnd);
  for (let first = 0; first < POSITION_BUCKETS; first += BUCKETS_AT_ONCE) {
    const buckets = Array.from({ length: BUCKETS_AT_ONCE }, (_, at) => bucketName(first + at));
    const securities = new Map<Cusip, Record<Side, FiledPosition[]>>();
    for (const side of SIDES) {
      if (seen[side].size === 0) continue;
      for await (const position of positionsOfBuckets(db, buckets, quarters[side])) {
        const filed = filedPosition(position, seen[side].get(position.cik));
        if (filed !== null) note(securities, position.cusip, { side, filed });
      }
    }
    for (const [cusip, sides] of securities) yield { cusip, ...sides };
  }
}

type Noted = { readonly side: Side; readonly filed: FiledPosition };

function note(
  securities: Map<Cusip, Record<Side, FiledPosition[]>>,
  cusip: Cusip,
  { side, filed }: Noted,
): void {
  const known = securities.get(cusip) ?? { prior: [], current: [], next: [] };
  known[side].push(filed);
  securities.set(cusip, known);
}

/** Null of an exit, and of a version that its report does not show. */
function filedPosition(position: ManagerPosition, report: Seen | undefined): FiledPosition | null {
  const { cik, amount, filed, version } = position;
  if (report === undefined || filed === null || version !== report.version) return null;
  const own = position.rowsUsed.filter(({ filing }) => filing >= 0 && filing < report.filings.length);
  const accession = own.length === 1 ? (report.filings[own[0]?.filing ?? -1]?.accession ?? null) : null;
  return {
    cik,
    issuer: filed.issuer,
    amount,
    valueCents: filed.valueCents,
    accession,
    reasons: filed.reasons,
  };
}
