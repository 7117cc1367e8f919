import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createKey } from '../../src/credits/account/key-life.ts';
import type { KeyStore } from '../../src/credits/account/key-record.ts';
import { grantCredits } from '../../src/credits/grant.ts';
import { AppError } from '../../src/errors.ts';
import { fetchPatiently } from '../fetch-patiently.ts';

/** Berkshire Hathaway: the largest manager of the bundled filings. */
const FUND = '0001067983';

export type Served = {
  readonly apiUrl: string;
  readonly boardUrl: string;
  readonly boardUser: string;
  readonly boardPassword: string;
  readonly key: string;
  /** The ticker of the brief that is shown first. */
  readonly ticker: string;
  readonly asOf: string | undefined;
};

/** Briefs that show more of the bundled filings, by the day (demo/quarter/README.md). */
const MORE_BRIEFS: Readonly<Record<string, readonly (readonly [what: string, ticker: string])[]>> = {
  '2023-05-31': [
    ['the insider who bought is the manager whose report shows it', 'OXY'],
    ['insiders sold, nearly all of it under plans', 'AAPL'],
    ['a split is suspected', 'MNST'],
  ],
  '2023-02-28': [['a split beside trading', 'TECH']],
};

/** A request that the demo shows as a curl line, and sends itself with `--once`. */
export type Call = {
  readonly what: string;
  readonly url: string;
  readonly authorization: string;
  readonly curl: string;
};

export function callsOf(served: Served): readonly Call[] {
  const api = (what: string, path: string) => apiCall(served, what, path);
  const user = `${served.boardUser}:${served.boardPassword}`;
  const brief = (what: string, ticker: string) => briefCall(served, what, ticker);
  const more = MORE_BRIEFS[served.asOf ?? ''] ?? [];
  return [
    brief('Brief', served.ticker),
    ...more.map(([what, ticker]) => brief(`Brief: ${what}`, ticker)),
    api('Owners', `/stocks/${encodeURIComponent(served.ticker)}?limit=5`),
    api('Search', '/search?q=berkshire'),
    api('Holdings', `/funds/${FUND}/holdings?limit=5`),
    api('Events', '/events?limit=5'),
    api('Insiders', '/insider/transactions?limit=5'),
    api('Credits', '/credits'),
    {
      what: 'Bull Board',
      url: served.boardUrl,
      authorization: `Basic ${Buffer.from(user).toString('base64')}`,
      curl: `curl -s -u '${user}' '${served.boardUrl}'`,
    },
  ];
}

type Api = Pick<Served, 'apiUrl' | 'key'>;

export function briefCall(api: Api, what: string, ticker: string): Call {
  return apiCall(api, what, `/stocks/${encodeURIComponent(ticker)}/capital-change-brief`);
}

function apiCall({ apiUrl, key }: Api, what: string, path: string): Call {
  const url = `${apiUrl}/v1${path}`;
  const authorization = `Bearer ${key}`;
  return { what, url, authorization, curl: `curl -s -H "Authorization: Bearer $TIDEMARK_KEY" '${url}'` };
}

/** Longer than the API takes for any answer. */
const LIMIT_MS = 60_000;

/** The body of a 200. Throws an error with the answer for any other status. */
export async function make(call: Call): Promise<string> {
  const answer = await fetchPatiently(call.url, call.authorization, LIMIT_MS);
  const body = await answer.text();
  if (answer.status === 200) return body;
  throw new AppError(
    'demo_call',
    `${call.what}: ${call.url} answered ${answer.status}: ${body.slice(0, 300)}`,
  );
}

const ORGANIZATION = 'demo';
const CREDITS = 10_000;
/** Many times the price of a brief. */
const LOW = 1_000;
const balanceReply = z.object({ data: z.object({ balance: z.int() }) });

/**
 * The key of an earlier run if the API still knows it, with more credits when they run low; else a new
 * key of the organisation `demo`. A key is shown only once, so the home stores it.
 */
export async function demoKey(home: string, apiUrl: string, store: KeyStore): Promise<string> {
  const path = join(home, 'demo-key');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  const balance = kept === '' ? null : await balanceOf(kept, apiUrl);
  if (balance !== null) {
    if (balance < LOW) await grantCredits(store, { org: ORGANIZATION, amount: CREDITS, reason: 'demo' });
    return kept;
  }
  const { key } = await createKey(store, { orgName: ORGANIZATION, credits: CREDITS, label: 'demo' });
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Null when the API does not know the key. */
async function balanceOf(key: string, apiUrl: string): Promise<number | null> {
  const answer = await fetchPatiently(`${apiUrl}/v1/credits`, `Bearer ${key}`, LIMIT_MS);
  const body: unknown = await answer.json();
  return answer.status === 200 ? balanceReply.parse(body).data.balance : null;
}
