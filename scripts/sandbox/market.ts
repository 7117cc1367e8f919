import { requireIsoDate } from '../../src/domain/ids.ts';

/** The sandbox's day: the window of the latest quarter is closed, and no later quarter is over. */
export const AS_OF = requireIsoDate('2025-08-29');

/** Oldest first, and enough for the eight lagged quarters that the leaderboard needs. */
export const QUARTERS = [
  ...['2022-12-31', '2023-03-31', '2023-06-30', '2023-09-30', '2023-12-31', '2024-03-31'],
  ...['2024-06-30', '2024-09-30', '2024-12-31', '2025-03-31', '2025-06-30'],
] as const;

export const LAST = QUARTERS.length - 1;

export type Security = {
  /** As managers write it. */
  readonly issuer: string;
  /** Null when no source gives it a symbol. */
  readonly ticker: string | null;
  readonly cusip: string;
  /** At the end of the first quarter. */
  readonly firstPriceCents: number;
};

/**
 * CUSIPs whose issuer number begins with 99 are reserved for private use, so these cannot be real.
 * The one exception is the benchmark, which the method of the leaderboard names.
 */
function security(n: number, ticker: string | null, issuer: string, firstPriceCents: number): Security {
  return { issuer, ticker, cusip: cusipOf(n, 10), firstPriceCents };
}

/** With its check digit. Issue 10 is the stock. */
export function cusipOf(n: number, issue: number): string {
  const base = `99${String(n).padStart(4, '0')}${issue}`;
  return base + checkDigit(base);
}

export const SECURITIES = {
  done: security(1, 'DONE', 'DONEWELL FICTIONAL INC', 3_400),
  sold: security(2, 'SOLD', 'SOLDOFF FICTIONAL CORP', 2_600),
  clash: security(3, 'CLASH', 'CLASHING FICTIONAL CO', 5_800),
  mixed: security(4, 'MIXED', 'MIXTURE FICTIONAL PLC', 2_800),
  steady: security(5, 'STEADY', 'STEADFAST FICTIONAL LTD', 4_500),
  part: security(6, 'PART', 'PARTWAY FICTIONAL INC', 900),
  maybe: security(7, 'MAYBE', 'MAYBERRY FICTIONAL MINING CO', 1_200),
  nodata: security(8, 'NODATA', 'UNHELD FICTIONAL CORP', 700),
  refuse: security(9, 'REFUSE', 'REFUSAL FICTIONAL GROUP', 1_500),
  /** Has the same symbol, so that REFUSE stands for two securities. */
  refuseToo: security(10, 'REFUSE', 'DENIAL IMAGINARY SHIPPING LTD', 2_100),
  anvil: security(21, 'XANVIL', 'ANVIL FICTIONAL WORKS INC', 7_200),
  bellow: security(22, 'XBELLO', 'BELLOWS FICTIONAL FORGE CORP', 3_900),
  chisel: security(23, 'XCHISL', 'CHISEL FICTIONAL STONE CO', 11_500),
  dowel: security(24, 'XDOWEL', 'DOWEL FICTIONAL TIMBER LTD', 2_300),
  easel: security(25, 'XEASEL', 'EASEL FICTIONAL ARTS PLC', 6_400),
  flange: security(26, 'XFLANG', 'FLANGE FICTIONAL PIPES INC', 4_800),
  gasket: security(31, null, 'GASKET FICTIONAL SEALS INC', 1_900),
  hinge: security(32, null, 'HINGE FICTIONAL DOORS CORP', 3_100),
  ingot: security(33, null, 'INGOT FICTIONAL METALS CO', 8_300),
  joist: security(34, null, 'JOIST FICTIONAL BEAMS LTD', 2_700),
  kiln: security(35, null, 'KILN FICTIONAL BRICKS PLC', 5_600),
  benchmark: {
    issuer: 'SANDBOX BENCHMARK TRUST',
    ticker: null,
    cusip: '78462F103',
    firstPriceCents: 38_200,
  },
} as const satisfies Record<string, Security>;

export type SecurityKey = keyof typeof SECURITIES;

/** Change in thousandths from one quarter to the next: a stock is up to 7 percent below or 10 above. */
const MOVES = { stock: { from: 930, count: 171 }, benchmark: { from: 990, count: 51 } } as const;

/** Price at the end of a quarter, by its index. The benchmark, which is of many stocks, moves less. */
export function priceCents(name: SecurityKey, quarter: number): number {
  let price: number = SECURITIES[name].firstPriceCents;
  const { from, count } = name === 'benchmark' ? MOVES.benchmark : MOVES.stock;
  for (let at = 1; at <= quarter; at += 1) {
    price = Math.round((price * (from + (noise(`${name}|${at}`) % count))) / 1_000);
  }
  return price;
}

/** The same number below 2³² for the same text, in place of chance. */
export function noise(text: string): number {
  let hash = 2_166_136_261;
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0;
}

/** Of the first eight characters of a CUSIP: every second value is doubled, and the digits of all are added. */
export function checkDigit(base: string): string {
  const sum = [...base].reduce((total, digit, place) => {
    const value = Number.parseInt(digit, 36) * (1 + (place % 2));
    return total + Math.floor(value / 10) + (value % 10);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}
