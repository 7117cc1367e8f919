import { Agent } from 'undici';
import { z } from 'zod';
import { sha256Hex } from '../../domain/canonical.ts';
import type { Lane } from '../../domain/filing/lane.ts';
import { type Accession, type Cik, type IsoDate, parseIsoDate } from '../../domain/ids.ts';
import { UsageError } from '../../errors.ts';
import { EdgarError, isEdgarError, nullOn } from '../error.ts';
import { parseSubmissions, parseSubmissionsPage, type SubmittedFiling } from '../listing/submissions.ts';
import * as urls from '../urls.ts';
import { dataBase, edgarBase, isLoopbackHost, lookupPublic } from './address.ts';
import type { EdgarBucket } from './bucket.ts';
import {
  CAPS,
  type Caps,
  type Exchange,
  type ExchangeOptions,
  exchange,
  FILE_CAPS,
  LISTING_BYTES,
} from './exchange.ts';
import { isClosedSubmission, judge, looksLikeSubmission } from './judge.ts';

type EdgarClientOptions = {
  readonly baseUrl: string;
  /** `Company contact@domain`: the SEC requires it, a local EDGAR accepts any. */
  readonly userAgent: string | undefined;
  readonly bucket: EdgarBucket;
  readonly caps?: Partial<Caps>;
};

/** Bytes as fetched (inflated), ready for the raw archive. */
export type Fetched = {
  readonly bytes: Buffer;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly url: string;
  readonly headers: { readonly etag: string | null; readonly lastModified: string | null };
};

/** Which answer the caller has read before. */
type Known = Pick<Fetched, 'url' | 'headers'>;

export type Submissions = { readonly company: string; readonly filings: readonly SubmittedFiling[] };

export type EdgarClient = ReturnType<typeof openEdgarClient>;

/**
 * The only way to EDGAR. Every URL is built from ids, every request passes the shared bucket, and
 * every answer is judged before it is returned. Methods throw {@link EdgarError}.
 * Throws a {@link UsageError} for any address but a loopback one without EDGAR_USER_AGENT.
 */
export function openEdgarClient(options: EdgarClientOptions) {
  const base = edgarBase(options.baseUrl);
  const isLocal = isLoopbackHost(base.hostname);
  const dispatcher = new Agent(isLocal ? {} : { connect: { lookup: lookupPublic } });
  const exchangeOptions: ExchangeOptions = {
    dispatcher,
    userAgent: requireUserAgent(base, options.userAgent),
    caps: { ...CAPS, ...options.caps },
  };
  const ofListings = { compressedBytes: LISTING_BYTES, inflatedBytes: LISTING_BYTES };
  const listingOptions = { ...exchangeOptions, caps: { ...CAPS, ...ofListings, ...options.caps } };
  const get = (path: string, expects: Expects, asked: Asked = {}): Promise<Fetched> =>
    send(
      { ...asked, url: new URL(path, base), expects, isLocal },
      options.bucket,
      expects === 'submission' ? exchangeOptions : listingOptions,
    );
  const namesIn = async (path: string): Promise<string[]> => {
    const { bytes, url } = await get(path, 'index');
    return listedNames(bytes, url);
  };
  const localNames = async (path: string): Promise<string[] | null> => (isLocal ? namesIn(path) : null);
  return {
    /** True when the base is a local EDGAR on a loopback host. */
    isLocal,
    fetchSubmission: (cik: Cik, accession: Accession, lane?: Lane) =>
      wholeSubmission(() => get(urls.submissionPath(cik, accession), 'submission', { lane }), isLocal),
    /** Everything that was filed by or about a CIK, newest first. `edgar_not_found`: EDGAR knows none. */
    listSubmissions: async (cik: Cik): Promise<Submissions> => {
      const page = async (path: string): Promise<Buffer> =>
        (await get(new URL(path, dataBase(base)).href, 'document', { lane: 'backfill' })).bytes;
      const { company, filings, pages } = parseSubmissions(await page(urls.submissionsPath(cik)));
      const older: SubmittedFiling[] = [];
      for (const name of pages)
        older.push(...parseSubmissionsPage(await page(urls.submissionsPagePath(cik, name))));
      return { company, filings: [...filings, ...older] };
    },
    /**
     * `edgar_no_index`: no filings that day (a holiday). `edgar_not_found`: not published yet.
     * `edgar_not_modified`: the same as the known answer.
     */
    fetchDailyIndex: (date: IsoDate, known?: Known | null) =>
      get(urls.dailyIndexPath(date), 'index', { known }),
    /** The days with a master index, ascending; empty when the quarter does not exist. */
    listDailyIndexes: async (year: number, quarter: number): Promise<IsoDate[]> => {
      const listing = namesIn(urls.dailyIndexDirectory(year, quarter));
      return indexDays((await nullOn(listing, 'edgar_no_index', 'edgar_not_found')) ?? []);
    },
    listYears: async () => indexYears(await namesIn(urls.DAILY_INDEX_ROOT)),
    /** `edgar_not_modified`: the same as the known answer. */
    fetchCurrentFeed: (page: urls.FeedPage, known?: Known | null) =>
      get(urls.currentFeedPath(page), 'document', { lane: 'live', known }),
    fetchCompanyTickers: () => get(urls.COMPANY_TICKERS_PATH, 'document'),
    /** Null on the real EDGAR, which has no such listing: the caller builds the names from dates. */
    listFailsFiles: () => localNames(urls.FAILS_FILES_PATH),
    fetchFailsFile: async (name: string) => get(urls.failsFilePath(name), 'document'),
    /** Official lists of 13(f) securities; null on the real EDGAR, as with the fails files. */
    listSecurityLists: () => localNames(urls.SECURITY_LISTS_PATH),
    fetchSecurityList: async (name: string) => get(urls.securityListPath(name), 'document'),
    /** Names of data sets; null on the real EDGAR, as with the fails files. */
    listDataSets: () => localNames(urls.DATA_SETS_PATH),
    /** Writes a data set to a file, not to memory. `edgar_not_found`: not published. */
    saveDataSet: async (name: string, file: string, signal: AbortSignal): Promise<void> => {
      const caps = { ...FILE_CAPS, ...options.caps };
      const save = async (path: string): Promise<void> => {
        const what = { url: new URL(path, base), expects: 'document', isLocal, lane: 'backfill' } as const;
        await judged(what, options.bucket, { ...exchangeOptions, caps, file, signal });
      };
      const [usual, other] = urls.dataSetPaths(name);
      await save(usual).catch((error: unknown) => {
        if (!isEdgarError(error, 'edgar_not_found')) throw error;
        return save(other);
      });
    },
    close: () => dispatcher.close(),
  };
}

type Expects = 'submission' | 'document' | 'index';
type Asked = { readonly lane?: Lane | undefined; readonly known?: Known | null | undefined };
type Request = Asked & { readonly url: URL; readonly expects: Expects; readonly isLocal: boolean };

async function send(what: Request, bucket: EdgarBucket, options: ExchangeOptions): Promise<Fetched> {
  return fetched(what.url, await judged(what, bucket, options));
}

async function judged(what: Request, bucket: EdgarBucket, options: ExchangeOptions): Promise<Exchange> {
  await bucket.take(what.lane);
  const answer = await exchange(what.url, conditionOf(what), options);
  // A folder may hold a saved block page under the name of a filing: that blocks no request.
  const stored = what.isLocal && what.expects === 'submission' && answer.status === 200;
  const error = stored ? null : judgeExchange(what, answer);
  if (error?.code === 'edgar_blocked') {
    const retryAfterMs = await bucket.block(error.retryAfterMs ?? 0);
    throw new EdgarError('edgar_blocked', error.message, { retry: true, retryAfterMs });
  }
  if (error) throw error;
  return answer;
}

/** Nothing for an answer from another address. */
function conditionOf({ url, known }: Request): Record<string, string> {
  if (!known || known.url !== url.href) return {};
  const { etag, lastModified } = known.headers;
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

function judgeExchange(what: Request, answer: Exchange): EdgarError | null {
  const retryAfter = Number(answer.headers['retry-after'] ?? Number.NaN);
  return judge({
    url: what.url.href,
    status: answer.status,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
    head: answer.bytes.toString('latin1', 0, 16_384),
    expects: what.expects === 'index' ? 'index' : 'document',
    isConditional: Object.keys(conditionOf(what)).length > 0,
  });
}

/**
 * Requests a submission that is not closed once more. A cut transfer differs the second time. A file
 * that EDGAR holds broken does not: it goes to the archive and to quarantine.
 */
async function wholeSubmission(fetchOnce: () => Promise<Fetched>, isLocal: boolean): Promise<Fetched> {
  const first = await fetchOnce();
  if (isClosedSubmission(first.bytes)) return first;
  const second = await fetchOnce();
  if (isClosedSubmission(second.bytes)) return second;
  if (first.sha256 === second.sha256 && (isLocal || looksLikeSubmission(second.bytes))) return second;
  throw new EdgarError('edgar_truncated', `the submission is not closed: ${second.url}`, { retry: true });
}

function fetched(url: URL, answer: Exchange): Fetched {
  const { bytes, headers } = answer;
  return {
    bytes,
    sha256: sha256Hex(bytes),
    url: url.href,
    headers: { etag: headers.etag ?? null, lastModified: headers['last-modified'] ?? null },
  };
}

function requireUserAgent(base: URL, userAgent: string | undefined): string {
  if (userAgent !== undefined) return userAgent;
  if (isLoopbackHost(base.hostname)) return 'Tidemark (local EDGAR)';
  throw new UsageError(
    'EDGAR_USER_AGENT is not set: the SEC refuses undeclared clients. Give a name and a contact address, for example "Example Corp ops@example.com".',
  );
}

/** EDGAR's directory listing (`index.json`); only the names are read. */
const listing = z.object({ directory: z.object({ item: z.array(z.object({ name: z.string() })) }) });

/** The names of a listing, ascending. Throws `edgar_malformed`, worth a retry: it is rewritten while it is read. */
export function listedNames(bytes: Buffer, url: string): string[] {
  try {
    const { directory } = listing.parse(JSON.parse(bytes.toString('utf8')));
    return directory.item.map(({ name }) => name).sort();
  } catch (cause) {
    const why =
      cause instanceof SyntaxError ? `not JSON: ${url}` : 'a directory listing has an unknown shape';
    throw new EdgarError('edgar_malformed', why, { retry: true, cause });
  }
}

/** The days that have a master index in a quarter's listing. */
export function indexDays(names: readonly string[]): IsoDate[] {
  return names.flatMap((name) => parseIsoDate(/^master\.(\d{8})\.idx$/.exec(name)?.[1] ?? '') ?? []);
}

/** The years in the listing of the daily index. */
export function indexYears(names: readonly string[]): number[] {
  return names.filter((name) => /^\d{4}$/.test(name)).map(Number);
}
