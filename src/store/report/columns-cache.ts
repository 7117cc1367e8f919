import type { Db } from 'mongodb';
import { emptyNames, type Names } from '../../domain/columns/room.ts';
import { batches } from '../../domain/group.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { reportId } from '../filing/filings.ts';

/** Reports that are read before they are put into columns: their objects should die young. */
const READ_AT_ONCE = 10;

/** What a quarter takes besides its rows, as so many of them. */
export const QUARTER_ROWS = 50_000;

/** The reports of a quarter in columns. */
type Quarter<Report> = {
  /** Room for so many rows more: growing step by step would leave copies of all columns behind. */
  readonly reserve: (rows: number) => void;
  readonly put: (report: Report) => void;
  readonly drop: (cik: Cik) => void;
  readonly rows: () => number;
};

/** `rows`: about as many as are read; only room depends on it. */
export type SeenReport = { readonly digest: string; readonly rows: number };

/** The reports that stand, by manager, each under a digest of what is read of it. */
export type Standing<Seen> = {
  readonly quarterEnd: QuarterEnd;
  readonly reports: ReadonlyMap<Cik, Seen>;
};

type Source<Seen, Report, Q> = {
  readonly emptyQuarter: (names: Names) => Q;
  /** In any order. What is not stored is left out. */
  readonly read: (
    db: Db,
    quarterEnd: QuarterEnd,
    reports: readonly (readonly [Cik, Seen])[],
  ) => Promise<readonly Report[]>;
  /**
   * In memory, with {@link QUARTER_ROWS} for each quarter. The least recently used quarters are evicted first, those of
   * a computation never.
   */
  readonly maxRows: number;
  /** So many quarters with reports are never evicted: those that are used in turn. */
  readonly minQuarters: number;
};

export type Computed<T> =
  | { readonly kind: 'computed'; readonly answer: T }
  /** Ids of reports whose rows are not stored. */
  | { readonly kind: 'incomplete'; readonly reports: readonly string[] };

type Cached<Q> = { readonly quarter: Q; readonly digests: Map<Cik, string>; hadReports: boolean };

/** Of one database; the least recently used quarter first. */
type Cache<Q> = {
  readonly names: Names;
  readonly quarters: Map<QuarterEnd, Cached<Q>>;
  last: Promise<unknown>;
};

/**
 * Whole quarters in the memory of the process. A computation sees exactly the reports that it names, of
 * which only those under another digest than the last time are read. One computation at a time.
 */
export function columnsCache<
  Seen extends SeenReport,
  Report extends { readonly cik: Cik },
  Q extends Quarter<Report>,
>(source: Source<Seen, Report, Q>) {
  const caches = new Map<string, Cache<Q>>();

  const cacheOf = ({ databaseName }: Db): Cache<Q> => {
    const known = caches.get(databaseName) ?? emptyCache<Q>();
    caches.set(databaseName, known);
    return known;
  };
  const quarterOf = ({ names, quarters }: Cache<Q>, quarterEnd: QuarterEnd): Cached<Q> => {
    const known = quarters.get(quarterEnd) ?? {
      quarter: source.emptyQuarter(names),
      digests: new Map(),
      hadReports: false,
    };
    quarters.delete(quarterEnd);
    quarters.set(quarterEnd, known);
    return known;
  };
  return function over<T>(
    db: Db,
    standing: readonly Standing<Seen>[],
    compute: (columns: readonly Q[], names: Names) => T,
  ): Promise<Computed<T>> {
    const cache = cacheOf(db);
    const work = async (): Promise<Computed<T>> => {
      makeRoom(cache.quarters, standing, source);
      const cached = standing.map(({ quarterEnd }) => quarterOf(cache, quarterEnd));
      const missing: string[] = [];
      for (const [at, one] of standing.entries()) {
        missing.push(...(await refresh(db, cached[at] as Cached<Q>, { standing: one, source })));
      }
      if (missing.length > 0) return { kind: 'incomplete', reports: missing };
      const columns = cached.map(({ quarter }) => quarter);
      return { kind: 'computed', answer: compute(columns, cache.names) };
    };
    const result = cache.last.then(work);
    cache.last = result.catch(() => undefined);
    return result;
  };
}

function emptyCache<Q>(): Cache<Q> {
  return { names: emptyNames(), quarters: new Map(), last: Promise.resolve() };
}

/**
 * Evicts quarters until the wanted ones fit. A quarter whose reports are gone is always evicted, because its columns
 * keep their size. A quarter that never had reports takes almost no room and stays: it is next to the first or the
 * latest quarter, and what was computed over both is remembered with it.
 */
function makeRoom<Q extends Pick<Quarter<never>, 'rows'>>(
  quarters: Map<QuarterEnd, Cached<Q>>,
  standing: readonly Standing<SeenReport>[],
  { maxRows, minQuarters }: { readonly maxRows: number; readonly minQuarters: number },
): void {
  const asked = new Set(standing.map(({ quarterEnd }) => quarterEnd));
  for (const [quarterEnd, { digests, hadReports }] of quarters) {
    if (hadReports && digests.size === 0 && !asked.has(quarterEnd)) quarters.delete(quarterEnd);
  }
  const others = [...quarters].filter(
    ([quarterEnd, { digests }]) => digests.size > 0 && !asked.has(quarterEnd),
  );
  const wanted = standing.filter(({ reports }) => reports.size > 0);
  const ofWanted = wanted.map(({ reports }) => sum([...reports.values()].map(({ rows }) => rows)));
  const ofOthers = others.map(([, { quarter }]) => quarter.rows());
  let rows = sum([...ofWanted, ...ofOthers].map((own) => own + QUARTER_ROWS));
  let count = wanted.length + others.length;
  for (const [quarterEnd, { quarter }] of others) {
    if (rows <= maxRows || count <= minQuarters) return;
    rows -= quarter.rows() + QUARTER_ROWS;
    count -= 1;
    quarters.delete(quarterEnd);
  }
}

type Refreshing<Seen, Report, Q> = {
  readonly standing: Standing<Seen>;
  readonly source: Pick<Source<Seen, Report, Q>, 'read'>;
};

/** Returns the ids of reports that are not stored under their digests. */
async function refresh<
  Seen extends SeenReport,
  Report extends { readonly cik: Cik },
  Q extends Quarter<Report>,
>(db: Db, cached: Cached<Q>, { standing, source }: Refreshing<Seen, Report, Q>): Promise<string[]> {
  const { quarter, digests } = cached;
  const { quarterEnd, reports } = standing;
  cached.hadReports ||= reports.size > 0;
  for (const cik of digests.keys()) {
    if (reports.has(cik)) continue;
    quarter.drop(cik);
    digests.delete(cik);
  }
  const isOther = ([cik, { digest }]: readonly [Cik, Seen]) => digests.get(cik) !== digest;
  const changed = [...reports].filter(isOther);
  // Ahead of the room for them: what they replace would take as much again.
  for (const [cik] of changed) {
    quarter.drop(cik);
    digests.delete(cik);
  }
  quarter.reserve(sum(changed.map(([, { rows }]) => rows)));
  for (const batch of batches(changed, READ_AT_ONCE)) {
    for (const report of await source.read(db, quarterEnd, batch)) {
      quarter.put(report);
      digests.set(report.cik, reports.get(report.cik)?.digest ?? '');
    }
  }
  return changed.filter(isOther).map(([cik]) => reportId({ cik, quarterEnd }));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
