import type { Accession, Cik, IsoDate } from '../domain/ids.ts';
import { AppError } from '../errors.ts';

/** Every path is built from ids or from a checked name; nothing from a feed is ever followed. */
const FAILS_NAME = /^cnsfails\d{6}[ab]\.(zip|txt)$/;

/** EDGAR's archive paths carry the CIK without leading zeros (domain 2.11). */
export function submissionPath(cik: Cik, accession: Accession): string {
  return `/Archives/edgar/data/${BigInt(cik)}/${accession}.txt`;
}

export function dailyIndexRoot(): string {
  return '/Archives/edgar/daily-index/index.json';
}

export function dailyIndexDirectory(year: number, quarter: number): string {
  return `/Archives/edgar/daily-index/${year}/QTR${quarter}/index.json`;
}

export function dailyIndexPath(date: IsoDate): string {
  const quarter = Math.ceil(Number(date.slice(5, 7)) / 3);
  return `/Archives/edgar/daily-index/${date.slice(0, 4)}/QTR${quarter}/master.${date.replaceAll('-', '')}.idx`;
}

export type FeedPage = {
  /** EDGAR filters by prefix: `4` also answers 424B2, so match the category exactly afterwards. */
  readonly type: string;
  /** Entries to skip, newest first. */
  readonly start: number;
  readonly count: 10 | 20 | 40 | 80 | 100;
  readonly owner?: 'include' | 'exclude' | 'only';
};

export function currentFeedPath(page: FeedPage): string {
  const query = new URLSearchParams({
    action: 'getcurrent',
    type: page.type,
    owner: page.owner ?? 'include',
    count: String(page.count),
    start: String(page.start),
    output: 'atom',
  });
  return `/cgi-bin/browse-edgar?${query}`;
}

export function companyTickersPath(withExchange: boolean): string {
  return withExchange ? '/files/company_tickers_exchange.json' : '/files/company_tickers.json';
}

/** The SEC publishes no listing of this folder; this one is answered by our local EDGAR only. */
export function failsListingPath(): string {
  return '/files/data/fails-deliver-data/index.json';
}

export function isFailsName(name: string): boolean {
  return FAILS_NAME.test(name);
}

/** Throws `edgar_bad_name` for anything but `cnsfailsYYYYMM[ab].zip` (or `.txt` on a local EDGAR). */
export function failsPath(name: string): string {
  if (!isFailsName(name)) throw new AppError('edgar_bad_name', `not a fails-to-deliver file name: ${name}`);
  return `/files/data/fails-deliver-data/${name}`;
}
