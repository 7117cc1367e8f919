import type { Db } from 'mongodb';
import { emptyNames } from '../../domain/columns/names.ts';
import { batches } from '../../domain/group.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { type FiledQuarter, type FiledQuarters, filedQuarter } from '../../domain/peers/filed-quarter.ts';
import { reportId } from '../../store/filing/filings.ts';
import { MAX_LIST } from '../../store/mongo/lists.ts';
import { readFiled } from '../../store/report/filed-reports.ts';
import { type PeersInputs, SIDES } from './input.ts';

/** In memory: all quarters whose peers one report is an input of. Which ones depends on use. */
const MAX_QUARTERS = 5;

type Cached = { readonly quarter: FiledQuarter; readonly digests: Map<Cik, string> };
type Cache = ReturnType<typeof emptyCache>;

const caches = new Map<string, Cache>();

/** The last work on the columns: what comes next waits for it. */
const emptyCache = () => ({
  names: emptyNames(),
  quarters: new Map<QuarterEnd, Cached>(),
  last: Promise.resolve() as Promise<unknown>,
});

export type Computed<T> =
  | { readonly kind: 'computed'; readonly answer: T }
  /** Ids of reports whose positions are not stored. */
  | { readonly kind: 'incomplete'; readonly reports: readonly string[] };

/**
 * Computes something from the reports under exactly the digests of the inputs. Their columns stay in the
 * memory of the process, and only reports under other digests are read. One computation at a time.
 */
export function overFiledQuarters<T>(
  db: Db,
  inputs: PeersInputs,
  compute: (quarters: FiledQuarters) => T,
): Promise<Computed<T>> {
  const cache = caches.get(db.databaseName) ?? emptyCache();
  caches.set(db.databaseName, cache);
  const work = async (): Promise<Computed<T>> => {
    const missing: string[] = [];
    const sides = SIDES.map((side) => cachedQuarter(cache, inputs.quarters[side]));
    for (const [at, side] of SIDES.entries()) {
      const seen = { quarterEnd: inputs.quarters[side], digests: inputs.seen[side] };
      missing.push(...(await refresh(db, sides[at] as Cached, seen)));
    }
    if (missing.length > 0) return { kind: 'incomplete', reports: missing };
    const [prior, current, next] = sides.map(({ quarter }) => quarter) as [
      FiledQuarter,
      FiledQuarter,
      FiledQuarter,
    ];
    const { names } = cache;
    const { quarterEnd, earlierFilers } = inputs;
    return { kind: 'computed', answer: compute({ quarterEnd, prior, current, next, earlierFilers, names }) };
  };
  const result = cache.last.then(work);
  cache.last = result.catch(() => undefined);
  return result;
}

/** The least recently used quarter makes room. */
function cachedQuarter({ names, quarters }: Cache, quarterEnd: QuarterEnd): Cached {
  const known = quarters.get(quarterEnd) ?? { quarter: filedQuarter(names), digests: new Map() };
  quarters.delete(quarterEnd);
  quarters.set(quarterEnd, known);
  const [oldest] = quarters.keys();
  if (quarters.size > MAX_QUARTERS && oldest !== undefined) quarters.delete(oldest);
  return known;
}

type Seen = { readonly quarterEnd: QuarterEnd; readonly digests: ReadonlyMap<Cik, string> };

/** Makes the columns those of the digests. Returns the ids of reports that are not stored under theirs. */
async function refresh(db: Db, { quarter, digests }: Cached, seen: Seen): Promise<string[]> {
  for (const cik of digests.keys()) {
    if (seen.digests.has(cik)) continue;
    quarter.drop(cik);
    digests.delete(cik);
  }
  const changed = [...seen.digests].filter(([cik, digest]) => digests.get(cik) !== digest);
  const { quarterEnd } = seen;
  for (const batch of batches(changed, MAX_LIST)) {
    const keys = batch.map(([cik, digest]) => ({ cik, quarterEnd, digest }));
    for (const report of await readFiled(db, keys)) {
      quarter.put(report);
      digests.set(report.cik, seen.digests.get(report.cik) as string);
    }
  }
  return changed
    .filter(([cik, digest]) => digests.get(cik) !== digest)
    .map(([cik]) => reportId({ cik, quarterEnd }));
}
