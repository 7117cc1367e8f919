import { parseAccession, parseCik, parseIsoDate } from '../../src/domain/ids.ts';
import { isDataSetFile, isFailsName, quarterOfSecurityList } from '../../src/edgar/urls.ts';
import { ACCESS_DENIED, FILE_UNAVAILABLE, type LocalAnswer, NOT_FOUND, text } from './answers.ts';
import { quarterOf, renderDirectory, renderIndexDirectory, renderMaster } from './daily-index.ts';
import type { Faults } from './faults.ts';
import { readFeedQuery, renderFeed } from './feed.ts';
import type { RequestCounter } from './requests.ts';
import type { LocalFiling, ServedFolder } from './scan.ts';
import { renderSubmissions } from './submissions.ts';

/** What a local EDGAR answers from. */
export type LocalState = {
  readonly folder: ServedFolder;
  readonly faults: Faults;
  readonly requests: RequestCounter;
};

type Route = {
  readonly path: RegExp;
  readonly answer: (parts: readonly string[], folder: ServedFolder) => LocalAnswer;
};

const DAILY = '^/Archives/edgar/daily-index';

const ROUTES: readonly Route[] = [
  {
    path: new RegExp(`${DAILY}(?:/(\\d{4}))?(?:/(QTR[1-4]))?/index\\.json$`),
    answer: (parts, folder) => orDenied('application/json', renderIndexDirectory(folder.filings, parts)),
  },
  {
    path: new RegExp(`${DAILY}/(\\d{4})/(QTR[1-4])/master\\.(\\d{8})\\.idx$`),
    answer: ([year, quarter, digits = ''], folder) => {
      const day = parseIsoDate(digits);
      if (day === null || !day.startsWith(`${year}-`) || quarterOf(day) !== quarter) return ACCESS_DENIED;
      return orDenied('text/plain', renderMaster(folder, day));
    },
  },
  {
    path: /^\/Archives\/edgar\/data\/\d{1,10}\/(?:\d{18}\/)?(\d{10}-\d{2}-\d{6})\.txt$/,
    answer: ([name = ''], folder) => {
      const accession = parseAccession(name);
      const filing = folder.filings.find((candidate) => candidate.accession === accession);
      return filing ? { status: 200, type: 'text/plain', file: filing.path } : NOT_FOUND;
    },
  },
  {
    path: /^\/submissions\/CIK(\d{10})\.json$/,
    answer: ([digits = ''], folder) => {
      const cik = parseCik(digits);
      const list = cik === null ? null : renderSubmissions(folder.filings, cik);
      return list === null ? NOT_FOUND : text('application/json', list);
    },
  },
  {
    path: /^\/files\/(company_tickers\.json)$/,
    answer: ([name = ''], folder) => extra(folder, name, 'application/json'),
  },
  {
    // The SEC has no such listing. It lets a replay use the fails files that the folder holds.
    path: /^\/files\/data\/fails-deliver-data\/index\.json$/,
    answer: (_, folder) => listingOf('fails-deliver-data/', folder, isFailsName),
  },
  {
    path: /^\/files\/data\/fails-deliver-data\/(cnsfails\d{6}[ab]\.(?:zip|txt))$/,
    answer: ([name = ''], folder) => extra(folder, name, 'application/octet-stream'),
  },
  {
    path: /^\/files\/investment\/index\.json$/,
    answer: (_, folder) => listingOf('investment/', folder, isListName),
  },
  {
    path: /^\/files\/investment\/(13flist[\w-]+\.txt)$/,
    answer: ([name = ''], folder) => extra(folder, name, 'application/octet-stream'),
  },
  {
    path: /^\/files\/structureddata\/index\.json$/,
    answer: (_, folder) => listingOf('structureddata/', folder, isDataSetFile),
  },
  {
    path: /^\/files\/structureddata\/data\/(?:form-13f|insider-transactions)-data-sets\/(?!2026q2_form345)([\w-]+\.zip)$/,
    answer: ([name = ''], folder) => extra(folder, name, 'application/zip'),
  },
  {
    // The first set that the SEC published there.
    path: /^\/files\/datastandardsinnovation\/data\/insider-transactions-data-sets\/(2026q2_form345\.zip)$/,
    answer: ([name = ''], folder) => extra(folder, name, 'application/zip'),
  },
];

/** Answers the paths of the SEC that a local EDGAR knows; everything else is 404. */
export function answerLocally(url: URL, state: LocalState): LocalAnswer {
  const { folder } = state;
  if (url.pathname === '/cgi-bin/browse-edgar' && url.searchParams.get('action') === 'getcurrent') {
    const feed = renderFeed(listedInFeed(state), readFeedQuery(url.searchParams));
    return feed === null ? FILE_UNAVAILABLE : text('application/atom+xml', feed);
  }
  for (const route of ROUTES) {
    const match = route.path.exec(url.pathname);
    if (match === null) continue;
    const parts = match.slice(1).filter((part) => part !== undefined);
    return route.answer(parts, folder);
  }
  return NOT_FOUND;
}

/** Every filing, without those that a fault omits and twice those that it repeats. */
function listedInFeed({ folder, faults, requests }: LocalState): readonly LocalFiling[] {
  return folder.filings.flatMap((filing) => {
    const fault = faults.ofEntry(filing.accession);
    if (fault === null) return filing;
    requests.noteFault(fault);
    return fault === 'omitted_entry' ? [] : [filing, filing];
  });
}

function isListName(name: string): boolean {
  return quarterOfSecurityList(name) !== null;
}

function listingOf(title: string, { extras }: ServedFolder, isOne: (name: string) => boolean): LocalAnswer {
  return text('application/json', renderDirectory(title, [...extras.keys()].filter(isOne).sort()));
}

function orDenied(type: string, body: string | null): LocalAnswer {
  return body === null ? ACCESS_DENIED : text(type, body);
}

function extra(folder: ServedFolder, name: string, type: string): LocalAnswer {
  const file = folder.extras.get(name);
  return file === undefined ? NOT_FOUND : { status: 200, type, file };
}
