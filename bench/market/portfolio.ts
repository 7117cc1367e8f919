import { type Chance, chanceOf } from './chance.ts';
import { type Market, splitIn } from './market.ts';

export type Position = { readonly security: number; readonly shares: number; readonly isOption: boolean };

/** Deviation of the logarithm of a report's length: most are short, a few have thousands of rows. */
const LENGTH_SPREAD = 1.1;
const MAX_ROWS = 6_000;
/** Popularity falls with rank by this power; the first ranks are close to each other. */
const SKEW = 0.7;
const FIRST_RANKS = 12;
/** Of a report's rows. */
const OPTION_SHARE = 0.02;

/** The positions of a manager at the end of each quarter, in the order of the securities. */
export function portfoliosOf(filer: number, market: Market): Position[][] {
  const chance = chanceOf(market.seed, 'filer', filer);
  const first = initialPortfolio(chance, market);
  const quarters = [first];
  for (let quarter = 1; quarter < market.quarters; quarter += 1) {
    quarters.push(nextPortfolio(quarters[quarter - 1] ?? [], { chance, quarter, market }));
  }
  return quarters;
}

function initialPortfolio(chance: Chance, market: Market): Position[] {
  const mean = market.rows / Math.exp(LENGTH_SPREAD ** 2 / 2);
  const length = Math.exp(LENGTH_SPREAD * chance.normal()) * mean;
  const rows = Math.min(Math.max(Math.round(length), 1), MAX_ROWS, Math.floor(market.securities / 2));
  const chosen = new Set<number>();
  while (chosen.size < rows) chosen.add(popular(chance, market.securities));
  return [...chosen].sort((a, b) => a - b).map((security) => newPosition(security, chance));
}

/** A rank by the inverse of the distribution's sum. */
function popular({ next }: Chance, securities: number): number {
  const power = 1 - SKEW;
  const low = FIRST_RANKS ** power;
  const high = (securities + FIRST_RANKS) ** power;
  return Math.min(Math.floor((low + next() * (high - low)) ** (1 / power) - FIRST_RANKS), securities - 1);
}

function newPosition(security: number, { next, is }: Chance): Position {
  return { security, shares: Math.round(10 ** (2.5 + next() * 3)), isOption: is(OPTION_SHARE) };
}

type Step = { readonly chance: Chance; readonly quarter: number; readonly market: Market };

/** Half stay, a fifth are added to and a fifth reduced, some are left and some are new. */
function nextPortfolio(before: readonly Position[], { chance, quarter, market }: Step): Position[] {
  const kept = before.flatMap((position) => {
    const drawn = chance.next();
    const traded = 1 + (0.01 + chance.next() * 0.3) * (drawn < 0.7 ? 1 : -1);
    const factor = splitIn(position.security, quarter, market) * (drawn < 0.5 ? 1 : traded);
    if (drawn > 0.93) return [];
    return [{ ...position, shares: Math.max(1, Math.round(position.shares * factor)) }];
  });
  const held = new Set(before.map(({ security }) => security));
  const entered = new Set<number>();
  for (let n = 0; n < Math.ceil(before.length * 0.07); n += 1) {
    const security = popular(chance, market.securities);
    if (!held.has(security)) entered.add(security);
  }
  return [...kept, ...[...entered].map((security) => newPosition(security, chance))].sort(
    (a, b) => a.security - b.security,
  );
}
