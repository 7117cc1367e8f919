import { MAX_AT_ONCE } from '../../api/admission/connections.ts';
import { MAX_UPLOADS, WAITING_ORGANIZATIONS } from '../../api/admission/in-flight.ts';
import { ANSWER_MS, BYTES_PER_MS } from '../../api/admission/peer.ts';
import { MAX_PAGE } from '../../api/endpoint/page.ts';
import { EVENT_ROWS, MAX_WAIT_SECONDS } from '../../api/endpoints/event-shape.ts';
import { MAX_TICKERS } from '../../api/endpoints/events.ts';
import { MAX_QUERY_CHARS } from '../../api/endpoints/search.ts';
import {
  HEADERS_MS,
  KEPT_IDLE_MS,
  MAX_BODY_BYTES,
  MAX_HEADER_BYTES,
  MAX_URL_BYTES,
  REQUEST_MS,
} from '../../api/http/limits.ts';
import { TOOL_ROWS } from '../../api/mcp/arguments.ts';
import { MAX_LARGE_RESULT_BYTES, MAX_RESULT_BYTES } from '../../api/mcp/result.ts';
import { DEADLINE_MS, FIRST_READER_MS } from '../../api/metering/with-deadline.ts';
import { MAX_LIVE_KEYS } from '../../credits/account/key-mint.ts';
import { ACCOUNT_LIMITS, FREE_CREDITS_SECONDS, SESSION_SECONDS } from '../../credits/account/limits.ts';
import { grouped } from '../../domain/brief/words/numbers.ts';
import { MAX_WATCHED } from '../../store/account/watchlists.ts';
import { MAX_LISTED } from '../../store/trade/list.ts';
import { html } from '../html.ts';
import { inline, paragraphs, type Section, type Setting, table } from './prose.ts';

export const limits: Section = {
  id: 'limits',
  title: 'Limits',
  body: ({ limits: bounds, signUp }) => html`
${paragraphs('These are the limits of this installation. A refusal is never charged, and every 429 and 503 says in `Retry-After` how many seconds to wait. `RateLimit` says how many calls are left and when the full burst is available again; `RateLimit-Policy` says how large the burst is. An address is an IPv4 address, or the /64 block of an IPv6 address.')}
${table(
  'Limits with their numbers',
  [{ title: 'What' }, { title: 'Limit' }, { title: 'Beyond it' }],
  [...callRows(bounds), ...REQUEST_ROWS, ...CONTENT_ROWS, ...accountRows(signUp)].map((row) =>
    row.map(inline),
  ),
)}
`,
};

type Row = readonly [what: string, limit: string, beyond: string];

/** What the operator may set. */
function callRows(bounds: Setting['limits']): Row[] {
  const { callsPerSecond, burst, inFlightPerKey, atWorkPerOrganization, atWork } = bounds;
  const { waitingPerOrganization: waiting, failedAuthPerMinute: failed, connectionsPerAddress } = bounds;
  return [
    [
      'Calls of an organisation, with all its keys',
      callsPerSecond === 0
        ? 'none'
        : `${grouped(callsPerSecond)} a second on average, ${grouped(burst)} at once after a pause`,
      '429',
    ],
    ['Calls of a key in progress in a process', grouped(inFlightPerKey), '429'],
    [
      'Calls at work at the same time in a process',
      `${grouped(atWorkPerOrganization)} of an organisation, ${grouped(atWork)} of all`,
      'the call waits for its turn',
    ],
    [
      'Time for the work of a call',
      `${seconds(DEADLINE_MS)}; ${seconds(FIRST_READER_MS)} where the first reader has a brief, a history or the holders of a stock computed`,
      '503',
    ],
    [
      'Calls that wait for events (`wait`)',
      `${MAX_WAIT_SECONDS} seconds; ${grouped(waiting)} calls of an organisation, ${grouped(WAITING_ORGANIZATIONS * waiting)} of an address`,
      '400 for the time, 429 for the number',
    ],
    [
      'Failed authentications of an address',
      failed === 0 ? 'none' : `${grouped(failed)} a minute`,
      '429; keys that are in use are answered',
    ],
    [
      'Pages and files of an address',
      bounds.pagesPerSecond === 0
        ? 'none'
        : `${grouped(bounds.pagesPerSecond)} a second on average, ${grouped(bounds.pagesBurst)} at once`,
      '429',
    ],
    [
      'Connections of an address',
      grouped(connectionsPerAddress),
      'a new connection ends the one that is idle longest; behind a proxy, the proxy decides',
    ],
  ];
}

/** Rule 11.4. */
const REQUEST_ROWS: readonly Row[] = [
  ['Requests of one connection', `${MAX_AT_ONCE} at once`, 'further requests are read after an answer'],
  ['URL', kilobytes(MAX_URL_BYTES), '414'],
  ['Headers of a request', kilobytes(MAX_HEADER_BYTES), '431'],
  ['JSON body of `/mcp`', kilobytes(MAX_BODY_BYTES), '413'],
  ['Time for a request to arrive', `headers ${seconds(HEADERS_MS)}, all ${seconds(REQUEST_MS)}`, '408'],
  ['Bodies that an address is sending', `${MAX_UPLOADS} at once`, '429'],
  [
    'Time to take an answer',
    `${seconds(ANSWER_MS)}, and a second more for each ${grouped(BYTES_PER_MS * 1_000)} bytes`,
    'the connection ends and the charge is voided',
  ],
  ['A connection between two requests', seconds(KEPT_IDLE_MS), 'the connection ends'],
];

const CONTENT_ROWS: readonly Row[] = [
  ['Pages of a list', grouped(MAX_PAGE), '400; the page of an endpoint has the maximum of its `limit`'],
  [
    'Rows of `/insider/transactions` up to the end of a page: `page` times `limit`',
    grouped(MAX_LISTED),
    '400',
  ],
  ['`q` of `/search`', `2 to ${MAX_QUERY_CHARS} characters`, '400'],
  ['Tickers of one call of `/events`', grouped(MAX_TICKERS), '400'],
  ['Watchlist', `${MAX_WATCHED} tickers and ${MAX_WATCHED} CIKs`, 'it is not saved'],
  [
    'Result of an agent tool',
    `lists ${TOOL_ROWS} rows by default, the stream ${EVENT_ROWS}; ${kilobytes(MAX_RESULT_BYTES)}, or ${kilobytes(MAX_LARGE_RESULT_BYTES)} where more was asked for`,
    'rows are left out, and `next` names the rest',
  ],
  ['Idempotency key', '255 characters, 10 minutes, 5 replays', '400, charged again, 409'],
];

const COUNTED: Readonly<Record<keyof typeof ACCOUNT_LIMITS, string>> = {
  sign_up_try: 'Attempts of an address to make an organisation',
  sign_up: 'New organisations of an address',
  sign_in: 'Sign-ins of an address, by key or by recovery code',
  mint: 'Keys made by an organisation',
  recovery: 'Recovery codes made by an organisation',
  voucher: 'Wrong voucher codes of an organisation at one address',
  page: 'Pages and forms of an organisation at `/connect`',
};

/** Rule 12.5. */
function accountRows({ mode, credits, creditsPerDay }: Setting['signUp']): Row[] {
  const free = {
    what: 'Free credits of all new organisations together',
    limit: rate({ points: creditsPerDay, duration: FREE_CREDITS_SECONDS }),
  };
  return [
    ['Valid keys of an organisation', grouped(MAX_LIVE_KEYS), 'revoke one first'],
    ...Object.entries(COUNTED).map(
      ([name, what]): Row => [what, rate(ACCOUNT_LIMITS[name as keyof typeof COUNTED]), '429'],
    ),
    ...(mode === 'closed' || credits === 0
      ? []
      : [[free.what, free.limit, 'begins with 0 credits'] as const]),
    ['Signed in at `/connect`', `${SESSION_SECONDS / 3_600} hours`, 'sign in again'],
  ];
}

/** `5 an hour`. */
function rate({ points, duration }: { readonly points: number; readonly duration: number }): string {
  const periods: Readonly<Record<number, string>> = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' };
  return `${grouped(points)} ${periods[duration] ?? `in ${duration / 60} minutes`}`;
}

function seconds(ms: number): string {
  return `${ms / 1_000} seconds`;
}

function kilobytes(bytes: number): string {
  return `${bytes / 1_024} KB`;
}
