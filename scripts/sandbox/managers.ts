import { compare } from '../../src/domain/compare.ts';
import { LAST, noise, priceCents, SECURITIES, type Security, type SecurityKey } from './market.ts';

export type Manager = {
  readonly cik: string;
  readonly name: string;
  readonly fileNumber: string;
  /** Days from the end of the quarter to the filing. */
  readonly lagDays: number;
  /** Indexes of the first and the last quarter with a report. */
  readonly from: number;
  readonly through: number;
  /** Shares in the quarter before the last and in the last. Earlier quarters equal the first of the two. */
  readonly positions: Partial<Record<SecurityKey, readonly [before: number, last: number]>>;
  /** Shares in the first quarter of positions that change a little every quarter. */
  readonly tradedPositions: Partial<Record<SecurityKey, number>>;
  /** Shares of a whole quarter, in place of positions. */
  readonly chosen?: (quarter: number) => Partial<Record<SecurityKey, number>>;
  /** Quarters whose report has more option notional than shares. */
  readonly optionQuarters?: readonly number[];
};

export const manager = (
  n: number,
  name: string,
  rest: Omit<Manager, 'cik' | 'name' | 'fileNumber'>,
): Manager => ({
  cik: `99900000${String(n).padStart(2, '0')}`,
  name,
  fileNumber: `028-999${String(n).padStart(2, '0')}`,
  ...rest,
});

export const ALWAYS = { from: 0, through: LAST };

export const ALDER = manager(1, 'ALDER FICTIONAL CAPITAL LLC', {
  ...ALWAYS,
  lagDays: 38,
  positions: {
    done: [1_000_000, 1_150_000],
    sold: [800_000, 600_000],
    mixed: [500_000, 550_000],
    steady: [400_000, 400_000],
    maybe: [350_000, 350_000],
    refuse: [100_000, 100_000],
  },
  tradedPositions: { anvil: 900_000, bellow: 400_000, chisel: 250_000, benchmark: 60_000 },
});

const BIRCH = manager(2, 'BIRCH IMAGINARY PARTNERS LP', {
  ...ALWAYS,
  lagDays: 41,
  positions: {
    done: [0, 400_000],
    sold: [250_000, 250_000],
    clash: [300_000, 420_000],
    mixed: [450_000, 405_000],
    steady: [350_000, 350_000],
    maybe: [0, 5_000],
  },
  tradedPositions: { anvil: 200_000, bellow: 950_000, dowel: 700_000, flange: 300_000, benchmark: 20_000 },
});

const CEDAR = manager(3, 'CEDAR INVENTED ADVISORS INC', {
  ...ALWAYS,
  lagDays: 43,
  positions: {
    done: [500_000, 500_000],
    sold: [700_000, 0],
    clash: [200_000, 220_000],
    part: [300_000, 330_000],
  },
  tradedPositions: { anvil: 150_000, chisel: 500_000, dowel: 900_000, easel: 350_000, benchmark: 45_000 },
});

export const DOGWOOD = manager(4, 'DOGWOOD MADE UP MANAGEMENT LLC', {
  ...ALWAYS,
  lagDays: 36,
  positions: { done: [200_000, 220_000], clash: [100_000, 100_000], maybe: [100_000, 100_000] },
  tradedPositions: { bellow: 300_000, chisel: 150_000, easel: 600_000, flange: 800_000, benchmark: 90_000 },
});

export const ELM = manager(5, 'ELM PRETEND INVESTORS LTD', {
  ...ALWAYS,
  lagDays: 45,
  positions: {
    done: [300_000, 300_000],
    mixed: [200_000, 200_000],
    steady: [250_000, 250_000],
    maybe: [600_000, 0],
  },
  tradedPositions: { dowel: 400_000, easel: 500_000, flange: 450_000, benchmark: 30_000 },
});

/** Files for the first time, so its position is a baseline. */
const FIR = manager(6, 'FIR NEWCOMER FUND LP', {
  lagDays: 40,
  from: LAST,
  through: LAST,
  positions: { part: [0, 250_000] },
  tradedPositions: {},
});

/** Files a notice for the last quarter, because Alder's report has its holdings. */
export const GINKGO = manager(7, 'GINKGO MAKE BELIEVE TRUST CO', {
  lagDays: 39,
  from: LAST - 1,
  through: LAST - 1,
  positions: {},
  tradedPositions: { anvil: 50_000, chisel: 40_000, flange: 30_000 },
});

/** Has not filed for the last quarter. */
const HAZEL = manager(8, 'HAZEL TARDY HOLDINGS LLC', {
  lagDays: 42,
  from: LAST - 2,
  through: LAST - 1,
  positions: { part: [150_000, 150_000] },
  tradedPositions: { bellow: 60_000, dowel: 70_000 },
});

export const MANAGERS: readonly Manager[] = [ALDER, BIRCH, CEDAR, DOGWOOD, ELM, FIR, GINKGO, HAZEL];

export type Row = { readonly security: Security; readonly shares: number; readonly valueDollars: number };

/** What a manager holds at the end of a quarter, sorted by CUSIP. */
export function rowsHeldBy(who: Manager, quarter: number): Row[] {
  return Object.entries(who.chosen?.(quarter) ?? sharesHeldBy(who, quarter))
    .map(([key, shares]): Row => {
      const name = key as SecurityKey;
      return {
        security: SECURITIES[name],
        shares,
        valueDollars: Math.round((shares * priceCents(name, quarter)) / 100),
      };
    })
    .filter((row) => row.shares > 0)
    .sort((a, b) => compare(a.security.cusip, b.security.cusip));
}

function sharesHeldBy(who: Manager, quarter: number): Partial<Record<SecurityKey, number>> {
  const names = [...Object.keys(who.positions), ...Object.keys(who.tradedPositions)] as SecurityKey[];
  return Object.fromEntries(names.map((name) => [name, sharesOf(who, name, quarter)]));
}

function sharesOf(who: Manager, name: SecurityKey, quarter: number): number {
  const fixed = who.positions[name];
  if (fixed !== undefined) return fixed[quarter === LAST ? 1 : 0];
  let shares = who.tradedPositions[name] ?? 0;
  // At most 6 percent less or 10 percent more, which no split looks like.
  for (let at = 1; at <= quarter; at += 1) {
    shares = Math.round((shares * (94 + (noise(`${who.cik}|${name}|${at}`) % 17))) / 100);
  }
  return shares;
}
