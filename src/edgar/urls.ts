import type { Accession, Cik, IsoDate, QuarterEnd } from '../domain/ids.ts';
import { quarterEndOf, type YearAndQuarter, yearAndQuarterOf } from '../domain/quarter.ts';
import { AppError } from '../errors.ts';

// Every path is built from ids or from a checked name; no link of a feed is ever followed.
const FAILS_NAME = /^cnsfails\d{6}[ab]\.(zip|txt)$/;
const DATA_SET_NAME =
  /^(?:(?:\d{4}q[1-4]|\d{2}[a-z]{3}\d{4}-\d{2}[a-z]{3}\d{4})_form13f|\d{4}q[1-4]_form345)$/;
const LIST_NAME = /^13flist(\d{4})q([1-4])(?:-txt)?\.txt$/;

/** EDGAR's archive paths carry the CIK without leading zeros (rule 1.1). */
export function submissionPath(cik: Cik, accession: Accession): string {
  return `/Archives/edgar/data/${BigInt(cik)}/${accession}.txt`;
}

/** Everything that was filed by or about a CIK; on the host that serves data. */
export function submissionsPath(cik: Cik): string {
  return `/submissions/CIK${cik}.json`;
}

/** A further page. Throws `edgar_bad_name` for a name that is not one of this CIK. */
export function submissionsPagePath(cik: Cik, name: string): string {
  if (new RegExp(`^CIK${cik}-submissions-\\d{3}\\.json$`).test(name)) return `/submissions/${name}`;
  throw new AppError('edgar_bad_name', `not a page of the submissions of ${cik}: ${name.slice(0, 60)}`);
}

export const DAILY_INDEX_ROOT = '/Archives/edgar/daily-index/index.json';

export function dailyIndexDirectory(year: number, quarter: number): string {
  return `/Archives/edgar/daily-index/${year}/QTR${quarter}/index.json`;
}

export function dailyIndexPath(date: IsoDate): string {
  const quarter = Math.ceil(Number(date.slice(5, 7)) / 3);
  return `/Archives/edgar/daily-index/${date.slice(0, 4)}/QTR${quarter}/master.${date.replaceAll('-', '')}.idx`;
}

export type FeedPage = {
  /** EDGAR filters by prefix: `4` also answers 424B2. The caller matches the form exactly. */
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

export const COMPANY_TICKERS_PATH = '/files/company_tickers.json';

/** The SEC publishes no listing of this folder; only our local EDGAR answers it. */
export const FAILS_FILES_PATH = '/files/data/fails-deliver-data/index.json';

export function isFailsName(name: string): boolean {
  return FAILS_NAME.test(name);
}

/** Throws `edgar_bad_name` for anything but `cnsfailsYYYYMM[ab].zip` (or `.txt` on a local EDGAR). */
export function failsFilePath(name: string): string {
  if (!isFailsName(name)) throw new AppError('edgar_bad_name', `not a fails-to-deliver file name: ${name}`);
  return `/files/data/fails-deliver-data/${name}`;
}

/** The names that the SEC has given to the text edition of a quarter's official list. */
export function securityListNames(quarterEnd: QuarterEnd): readonly string[] {
  const { year, quarter } = yearAndQuarterOf(quarterEnd);
  return ['.txt', '-txt.txt'].map((ending) => `13flist${year}q${quarter}${ending}`);
}

/** The quarter of an official list by its name; null for any other name. */
export function quarterOfSecurityList(name: string): QuarterEnd | null {
  const [, year, quarter] = LIST_NAME.exec(name) ?? [];
  return year === undefined ? null : quarterEndOf(Number(year), Number(quarter) as YearAndQuarter['quarter']);
}

/** Only our local EDGAR answers it, as with the fails files. */
export const SECURITY_LISTS_PATH = '/files/investment/index.json';

/** Throws `edgar_bad_name` for anything but `13flistYYYYqN.txt` (or `-txt.txt`). */
export function securityListPath(name: string): string {
  if (quarterOfSecurityList(name) === null) {
    throw new AppError('edgar_bad_name', `not the name of an official list: ${name}`);
  }
  return `/files/investment/${name}`;
}

/** Only our local EDGAR answers it, as with the fails files. */
export const DATA_SETS_PATH = '/files/structureddata/index.json';

/** True for the name of a data set: that of its file without `.zip`. */
function isDataSetName(name: string): boolean {
  return DATA_SET_NAME.test(name);
}

/** True for the name of its file. */
export function isDataSetFile(name: string): boolean {
  return name.endsWith('.zip') && isDataSetName(name.slice(0, -'.zip'.length));
}

/**
 * Where a data set may be: the SEC began another folder in 2026 and left the older sets in place. Throws `edgar_bad_name` for anything but `2013q2_form13f`,
 * `01mar2024-31may2024_form13f` or `2013q2_form345`.
 */
export function dataSetPaths(name: string): readonly [string, string] {
  if (!isDataSetName(name)) throw new AppError('edgar_bad_name', `not the name of a data set: ${name}`);
  const folder = name.endsWith('_form13f') ? 'form-13f-data-sets' : 'insider-transactions-data-sets';
  const path = (root: string): string => `/files/${root}/data/${folder}/${name}.zip`;
  return [path('structureddata'), path('datastandardsinnovation')];
}
