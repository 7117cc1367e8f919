import { parseCik, parseTicker } from '../domain/ids.ts';

/** Every call with a test key acts for this organisation. */
export const SANDBOX_ORGANIZATION = { id: 'sandbox', name: 'Sandbox' } as const;

/** The balance that `/credits` shows to a test key. It is never spent. */
export const SANDBOX_BALANCE = 100_000;

/** The watchlist of a test key: two issuers by ticker, one insider by CIK. */
export const SANDBOX_WATCHLIST = {
  tickers: ['CLASH', 'DONE'].flatMap((text) => parseTicker(text) ?? []),
  ciks: ['9992000004'].flatMap((text) => parseCik(text) ?? []),
};
