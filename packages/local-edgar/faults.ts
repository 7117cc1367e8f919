import { sha256Hex } from '../../src/domain/canonical.ts';

/** What a request is for, by its path. */
export type RequestKind = 'feed' | 'index' | 'listing' | 'submission' | 'reference';

export function requestKind(path: string): RequestKind {
  if (path.startsWith('/cgi-bin/')) return 'feed';
  if (path.startsWith('/Archives/edgar/data/')) return 'submission';
  if (path.endsWith('/index.json')) return 'listing';
  return path.startsWith('/Archives/edgar/daily-index/') ? 'index' : 'reference';
}

type FaultSpec = { readonly about: string; readonly of: readonly (RequestKind | 'entry')[] };

const EVERY: readonly RequestKind[] = ['feed', 'index', 'listing', 'submission', 'reference'];

/** What a local EDGAR can do wrong on command, and in which answers. Each was seen on the real one. */
export const FAULTS = {
  block_page: { about: '403 and the page "Request Rate Threshold Exceeded"', of: EVERY },
  too_many_requests: { about: '429', of: EVERY },
  unavailable: { about: '503', of: EVERY },
  html_page: { about: '200 and an HTML page in place of the document', of: EVERY },
  slow: { about: 'the whole answer in pieces, a second late', of: EVERY },
  reset: { about: 'a connection that is reset halfway', of: EVERY },
  wrong_length: { about: 'fewer bytes than Content-Length says', of: EVERY },
  truncated_index: { about: 'a daily index that ends within a row', of: ['index'] },
  empty_index: { about: 'a daily index without rows', of: ['index'] },
  omitted_entry: { about: 'a filing that the feed never lists', of: ['entry'] },
  repeated_entry: { about: 'a filing that the feed lists twice', of: ['entry'] },
} as const satisfies Record<string, FaultSpec>;

export type Fault = keyof typeof FAULTS;

export const FAULT_NAMES = Object.keys(FAULTS) as Fault[];

export type FaultPlan = {
  /** Two plans of one seed misbehave alike: a fault depends on the path and its count, not on the time. */
  readonly seed: number;
  /** From 0 to 1: of the requests that a fault can concern, or of the filings in the feed. */
  readonly shares: Readonly<Partial<Record<Fault, number>>>;
  /** A path fails at most so often, so that retries come through. Without it there is no limit. */
  readonly timesPerPath?: number;
};

/** Decides what goes wrong. Without a plan nothing does. */
export function openFaults(plan: FaultPlan | undefined) {
  const asked = new Map<string, number>();
  const failed = new Map<string, number>();
  return {
    /** The fault of the next answer to a path; null for none. */
    ofRequest(path: string, kind: RequestKind): Fault | null {
      if (plan === undefined) return null;
      const count = (asked.get(path) ?? 0) + 1;
      asked.set(path, count);
      const times = failed.get(path) ?? 0;
      if (times >= (plan.timesPerPath ?? Number.POSITIVE_INFINITY)) return null;
      const fault = draw(plan, kind, `${path}|${count}`);
      if (fault !== null) failed.set(path, times + 1);
      return fault;
    },
    /** The fault of a filing in the feed: the same on every page. */
    ofEntry: (accession: string): Fault | null =>
      plan === undefined ? null : draw(plan, 'entry', accession),
  };
}

export type Faults = ReturnType<typeof openFaults>;

/** One draw decides among all faults of a kind, so their shares add up. */
function draw({ seed, shares }: FaultPlan, kind: RequestKind | 'entry', key: string): Fault | null {
  let drawn = Number.parseInt(sha256Hex(`${seed}|${kind}|${key}`).slice(0, 8), 16) / 2 ** 32;
  for (const fault of FAULT_NAMES) {
    const { of }: FaultSpec = FAULTS[fault];
    if (!of.includes(kind)) continue;
    drawn -= shares[fault] ?? 0;
    if (drawn < 0) return fault;
  }
  return null;
}
