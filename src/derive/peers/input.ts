import type { Db } from 'mongodb';
import { canonicalJson, sha256Hex } from '../../domain/canonical.ts';
import { compare } from '../../domain/compare.ts';
import { batches } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type {
  FiledPosition,
  FiledReport,
  FiledReports,
  FiledSecurity,
} from '../../domain/peers/filed-security.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { isContributing } from '../../domain/report/report.ts';
import { reportId } from '../../store/filing/filings.ts';
import { inLists } from '../../store/mongo/lists.ts';
import { FILED_PARTS, filedPositions } from '../../store/report/filed-positions.ts';
import { type ReportDoc, reportsIn } from '../../store/report/reports.ts';

/** Raise it when equal reports get other answers: then every quarter is computed again. */
export const PEERS_METHOD = 'peers.v3';

/** In memory at once: the positions of this many whole reports of each of three quarters. */
const REPORTS_AT_ONCE = 250;

type Seen = Pick<ReportDoc, 'cik' | 'filed' | 'filings'>;

/** The reports that the peers of a quarter are computed from, with the digests of their positions. */
export type FiledQuarters = {
  readonly reports: FiledReports;
  /** Of the reports as filed: nothing that is concluded from them is in it. */
  readonly digest: string;
  readonly seen: Readonly<Record<Side, ReadonlyMap<Cik, Seen>>>;
};

const SIDES = ['prior', 'current', 'next'] as const;
type Side = (typeof SIDES)[number];

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
  // Without reports of the quarter before, no positions can have been taken over.
  const earlierFilers = seen.prior.size === 0 ? [] : await filersBefore(db, newcomers, quarters.prior);
  const filed = Object.values(seen).map((side) =>
    [...side].map(([cik, report]) => [cik, report.filed.digest]),
  );
  return {
    reports: {
      quarterEnd,
      prior: [...seen.prior.values()].map(filedReport),
      current: [...seen.current.values()].map(filedReport),
      next: [...seen.next.values()].map(filedReport),
      earlierFilers: new Set(earlierFilers),
    },
    digest: sha256Hex(canonicalJson([PEERS_METHOD, filed, earlierFilers])),
    seen,
  };
}

/** In order of CIK. */
async function seenIn(db: Db, quarterEnd: QuarterEnd): Promise<Map<Cik, Seen>> {
  const docs = await reportsIn(db)
    .find({ quarterEnd }, { projection: { cik: 1, filed: 1, filings: 1 } })
    .toArray();
  return new Map(docs.sort((a, b) => compare(a.cik, b.cik)).map((doc) => [doc.cik, doc]));
}

async function filersBefore(db: Db, ciks: readonly Cik[], quarterEnd: QuarterEnd): Promise<Cik[]> {
  const found = new Set<Cik>();
  for (const cik of inLists(ciks)) {
    const earlier = { cik, quarterEnd: { $lt: quarterEnd } };
    const docs = await reportsIn(db)
      .find(earlier, { projection: { cik: 1 } })
      .toArray();
    for (const doc of docs) found.add(doc.cik);
  }
  return [...found].sort();
}

function filedReport({ cik, filed, filings }: Seen): FiledReport {
  const contributing = filings.filter(isContributing);
  return {
    cik,
    filings: contributing.map(({ accession, filedDate }) => ({ accession, filedDate })),
    isComparable: filed.isComparable,
  };
}

/** Every security held at one of the three quarter ends, part by part. */
export function readSecurities(db: Db, filed: FiledQuarters) {
  const missing = new Map<string, number>();
  const quarters = quartersOf(filed.reports.quarterEnd);
  for (const side of SIDES) {
    for (const [cik, report] of filed.seen[side]) {
      missing.set(reportId({ cik, quarterEnd: quarters[side] }), report.filed.positions);
    }
  }
  return {
    securities: securitiesOf(db, filed, (key) => missing.set(key, (missing.get(key) ?? 0) - 1)),
    /** Reports without all of their rows. Call it after the last security. */
    incomplete: () => [...missing].filter(([, left]) => left !== 0).map(([key]) => key),
  };
}

async function* securitiesOf(
  db: Db,
  { seen, reports: { quarterEnd } }: FiledQuarters,
  onRow: (report: string) => void,
): AsyncGenerator<FiledSecurity> {
  const quarters = quartersOf(quarterEnd);
  for (const parts of partsAtOnce(Math.max(...SIDES.map((side) => seen[side].size)))) {
    const securities = new Map<Cusip, Record<Side, FiledPosition[]>>();
    for (const side of SIDES.filter((one) => seen[one].size > 0)) {
      for await (const row of filedPositions.read(db, parts, quarters[side])) {
        if (seen[side].get(row.cik)?.filed.digest !== row.digest) continue;
        onRow(reportId(row));
        sidesOf(securities, row.cusip)[side].push(row);
      }
    }
    for (const [cusip, sides] of securities) yield { cusip, ...sides };
  }
}

function sidesOf(securities: Map<Cusip, Record<Side, FiledPosition[]>>, cusip: Cusip) {
  const known = securities.get(cusip) ?? { prior: [], current: [], next: [] };
  securities.set(cusip, known);
  return known;
}

/** Few reports are read at once, because a command costs more than their rows; many in small parts. */
function partsAtOnce(reports: number): string[][] {
  const { length } = FILED_PARTS;
  const size = Math.min(length, Math.max(1, Math.floor((length * REPORTS_AT_ONCE) / reports)));
  return [...batches(FILED_PARTS, size)];
}
