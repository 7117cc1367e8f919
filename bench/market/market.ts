import { checkDigit } from '../../scripts/sandbox/market.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { quarterEndOf } from '../../src/domain/quarter.ts';
import { chanceOf } from './chance.ts';

/** What a synthetic market consists of. The same values give the same bytes. */
export type Market = {
  readonly seed: number;
  /** Managers that report in every quarter. */
  readonly filers: number;
  /** Mean number of rows of a report. */
  readonly rows: number;
  readonly securities: number;
  /** How many of the securities have a ticker; the most widely held first. */
  readonly tickers: number;
  readonly quarters: number;
  /** Managers that reported once, before the first of the quarters. */
  readonly stopped: number;
  /** Share of the filers that restate their last report. */
  readonly amended: number;
  /** Forms 4 of each ticker and year; the years end with the last quarter's filing window. */
  readonly form4PerYear: number;
  readonly form4Years: number;
};

/** A tenth of a percent of EDGAR: runs in minutes on the embedded engine. */
export const SMALL: Market = {
  seed: 1,
  filers: 100,
  rows: 300,
  securities: 14_000,
  tickers: 2_000,
  quarters: 2,
  stopped: 0,
  amended: 0.02,
  form4PerYear: 0,
  form4Years: 0,
};

/** The last quarter of every market; filed until 2023-11-14. */
const LAST = { year: 2023, quarter: 3 };

/** Oldest first. `before` counts further back: quarters of managers that stopped reporting. */
export function quarterEndsOf(count: number, before = 0): QuarterEnd[] {
  return Array.from({ length: count }, (_, at) => {
    const index = LAST.year * 4 + LAST.quarter - 1 - before - (count - 1 - at);
    return quarterEndOf(Math.floor(index / 4), ((index % 4) + 1) as 1 | 2 | 3 | 4);
  });
}

export type Security = {
  readonly cusip: string;
  readonly issuer: string;
  readonly cik: string;
  /** Null when no source gives it a symbol. */
  readonly ticker: string | null;
};

/** Letters that no CUSIP uses are left out. */
const CUSIP_DIGITS = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const TICKER_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** CUSIPs that begin with 99 are reserved for private use, so none of them is real. */
export function securitiesOf({ securities, tickers }: Market): Security[] {
  return Array.from({ length: securities }, (_, at) => ({
    cusip: cusipOf(at),
    issuer: `${nameOf(at)} SYNTHETIC INC`,
    cik: String(9_800_000_000 + at),
    ticker: at < tickers ? `Q${inBase(TICKER_LETTERS, at, 3)}` : null,
  }));
}

function cusipOf(at: number): string {
  const base = `99${inBase(CUSIP_DIGITS, at, 4)}10`;
  return base + checkDigit(base);
}

/** Three syllables, so that no two issuers look like one that was renamed. */
function nameOf(at: number): string {
  const syllables = 'BA DO FI GU KE LO MI NA PO RU SE TA VI WO YA ZE'.split(' ');
  const { below } = chanceOf('name', at);
  return `${Array.from({ length: 3 }, () => syllables[below(syllables.length)]).join('')}${inBase(TICKER_LETTERS, at, 3)}`;
}

function inBase(digits: string, value: number, length: number): string {
  let [rest, text] = [value, ''];
  for (let place = 0; place < length; place += 1) {
    text = `${digits[rest % digits.length]}${text}`;
    rest = Math.floor(rest / digits.length);
  }
  return text;
}

/** Every so many securities are split in the last quarter. */
const SPLIT_EVERY = 250;

/** Shares for one old one in a quarter: 4 in the quarter of a split, else 1. */
export function splitIn(security: number, quarter: number, { quarters }: Market): number {
  return quarter === quarters - 1 && quarter > 0 && security % SPLIT_EVERY === 7 ? 4 : 1;
}

/** Dollars at the end of a quarter, by its index; a fourth after a split. */
export function priceOf(security: number, quarter: number, market: Market): number {
  const { next, normal } = chanceOf(market.seed, 'price', security);
  let price = 5 + 10 ** (1 + next() * 1.4);
  for (let at = 1; at <= quarter; at += 1) {
    price = (price * Math.exp(0.01 + 0.09 * normal())) / splitIn(security, at, market);
  }
  return Math.max(price, 0.5);
}
