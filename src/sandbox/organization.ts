import type { Cik, Ticker } from '../domain/ids.ts';

/** Whoever calls with a test key is this organisation, whatever its own is. */
export const SANDBOX_ORGANIZATION = { id: 'sandbox', name: 'Sandbox' } as const;

/** Never spent: what `/credits` shows to a test key. */
export const SANDBOX_BALANCE = 100_000;

/** What `/watchlist/poll` follows for a test key: two issuers by ticker, one insider by CIK. */
export const SANDBOX_WATCHLIST = {
  tickers: ['CLASH', 'DONE'] as Ticker[],
  ciks: ['9992000004'] as Cik[],
} as const;
