import { ALWAYS, type Manager, manager } from './managers.ts';
import { LAST, noise, priceCents, type SecurityKey } from './market.ts';

/** Stocks that many hold, so that they have prices. No ticker of the sandbox's stories is among them. */
const TRADED = ['anvil', 'bellow', 'chisel', 'dowel', 'easel', 'flange'] as const satisfies SecurityKey[];
/** Held by one manager alone, so that nobody prices them. */
const UNPRICED = ['gasket', 'hinge', 'ingot', 'joist', 'kiln'] as const satisfies SecurityKey[];

/** Most of the money is in so many stocks. */
const BETS = 3;
const BET = 800_000;
const REST = 20_000;

/** Shares of the whole portfolio in a quarter, larger in what gains most (or least) while a copier holds it. */
const betting =
  (cik: string, isSkilled: boolean) =>
  (quarter: number): Partial<Record<SecurityKey, number>> => {
    const gained = (name: SecurityKey): number =>
      priceCents(name, quarter + 2) / priceCents(name, quarter + 1);
    const ranked = TRADED.toSorted((a, b) => (gained(b) - gained(a)) * (isSkilled ? 1 : -1));
    return Object.fromEntries(
      ranked.map((name, at) => {
        const shares = at < BETS ? BET : REST;
        return [name, Math.round((shares * (80 + (noise(`${cik}|${name}|${quarter}`) % 41))) / 100)];
      }),
    );
  };

const traded = (names: readonly SecurityKey[], shares: number): Manager['tradedPositions'] =>
  Object.fromEntries(names.map((name, at) => [name, shares + 7_300 * at]));

const NOTHING = { ...ALWAYS, lagDays: 40, positions: {}, tradedPositions: {} };

/** Knows the prices to come, which an invented market allows: the one line of the board that is beyond luck. */
const IRIS = manager(9, 'IRIS CLAIRVOYANT FICTIONAL FUND LP', {
  ...NOTHING,
  chosen: betting('iris', true),
});

/** The last one of the board. */
const JUNIPER = manager(10, 'JUNIPER HAPLESS IMAGINARY FUND LP', {
  ...NOTHING,
  chosen: betting('juniper', false),
});

/** Ranked, although its report of one quarter has mostly options and is left out. */
const KAPOK = manager(11, 'KAPOK INVENTED CAPITAL LLC', {
  ...NOTHING,
  tradedPositions: traded(TRADED, 210_000),
  optionQuarters: [4],
});

/** Never ranked: three positions. */
const LARCH = manager(12, 'LARCH MADE UP PARTNERS LP', {
  ...NOTHING,
  tradedPositions: traded(['anvil', 'dowel', 'easel'], 330_000),
});

/** Never ranked: nobody else holds its stocks, so that they have no prices. */
const MAPLE = manager(13, 'MAPLE PRETEND HOLDINGS INC', {
  ...NOTHING,
  tradedPositions: traded(UNPRICED, 140_000),
});

/** Never ranked: mostly options. */
const NUTMEG = manager(14, 'NUTMEG MAKE BELIEVE OPTIONS LLC', {
  ...NOTHING,
  tradedPositions: traded(TRADED, 45_000),
  optionQuarters: Array.from({ length: LAST + 1 }, (_, quarter) => quarter),
});

/** Managers that only the leaderboard is for. */
export const BOARD_MANAGERS: readonly Manager[] = [IRIS, JUNIPER, KAPOK, LARCH, MAPLE, NUTMEG];
