import { compare } from '../compare.ts';
import type { OtherManager } from '../filing/filing.ts';
import { curatedManagerOf, kebabSlug } from '../filing/manager.ts';
import type { Cik, Cusip, QuarterEnd, Ticker } from '../ids.ts';
import { previousQuarterEnd } from '../quarter.ts';
import { MAX_AUM_DIGITS, MAX_HOLDERS_DIGITS } from './thresholds.ts';

/** A fund as the entries of its managers name it. */
type NamedFund = { readonly cik: Cik; readonly name: string; readonly slug: string };

type Found = {
  /** Unique among the entries of its type. */
  readonly id: string;
  readonly name: string;
  /** Other names that find it. */
  readonly aliases: readonly string[];
  /** 0 to {@link MAX_WEIGHT}; the heaviest of equally good matches comes first. */
  readonly weight: number;
};

/** What a search may find. Amounts are decimal text, because entries are stored as JSON. */
export type SearchEntry =
  | (Found & {
      readonly type: 'fund';
      readonly aumCents: string;
      readonly latestQuarterEnd: QuarterEnd;
    } & NamedFund)
  | (Found & { readonly type: 'manager'; readonly cik: Cik | null; readonly fund: NamedFund })
  | (Found & {
      readonly type: 'holding';
      readonly cusip: Cusip;
      readonly ticker: Ticker | null;
      readonly holders: number;
      readonly latestQuarterEnd: QuarterEnd;
    });

export const MAX_WEIGHT = 9_999;

type ListedFund = NamedFund & {
  readonly aumCents: bigint;
  readonly latestQuarterEnd: QuarterEnd;
  /** The other managers that its latest report includes. */
  readonly includes: readonly OtherManager[];
  /** The newest quarter whose filing window is closed; left out where the fund reported it. */
  readonly dueQuarterEnd?: QuarterEnd;
};

/**
 * A manager that stopped reporting comes after one that is a quarter late, and both after nearly all that report:
 * last assets are no weight of today.
 */
const [LATE_PART, SILENT_PART] = [3, 10];

/** The fund, the curated person, and the managers that its latest report names, each once. */
export function entriesOfFund({ aumCents, latestQuarterEnd, includes, dueQuarterEnd, ...fund }: ListedFund) {
  const full = weightOf(Number(aumCents / 100n), MAX_AUM_DIGITS);
  const weight = Math.floor(full / partOf(latestQuarterEnd, dueQuarterEnd));
  const person = curatedManagerOf(fund.cik);
  const named = [...(person === null ? [] : [{ ...person, cik: null }]), ...includes];
  const managers = named.map(
    (manager): SearchEntry => ({
      type: 'manager',
      id: `${fund.cik}:${kebabSlug(manager.name) || manager.cik || manager.name}`,
      name: manager.name,
      aliases: [],
      weight: Math.floor(weight / 2),
      cik: manager.cik,
      fund,
    }),
  );
  const once = new Map(managers.toReversed().map((manager) => [manager.id, manager]));
  const own: SearchEntry = {
    type: 'fund',
    id: fund.cik,
    ...fund,
    aliases: [],
    weight,
    aumCents: aumCents.toString(),
    latestQuarterEnd,
  };
  return [own, ...once.values()];
}

function partOf(latest: QuarterEnd, due = latest): number {
  if (latest >= due) return 1;
  return latest === previousQuarterEnd(due) ? LATE_PART : SILENT_PART;
}

export type HeldSecurity = {
  readonly cusip: Cusip;
  /** Of the newest report counted. */
  readonly latestQuarterEnd: QuarterEnd;
  /** Managers that hold shares of it, by the latest report or by the one carried forward. */
  readonly holders: number;
  /** The issuer's names as the reports spell them, the most frequent first. */
  readonly issuers: readonly string[];
};

/** Named as most reports do. Reports shorten names (`GENERAL MTRS CO`), so the ticker's name is an alias. */
export function entryOfSecurity(
  held: HeldSecurity,
  listed: { readonly ticker: Ticker; readonly name: string } | null,
): SearchEntry {
  const [issuer = held.cusip, ...others] = held.issuers;
  const aliases = listed === null ? others : [...others, listed.name];
  return {
    type: 'holding',
    id: held.cusip,
    name: issuer,
    aliases,
    weight: weightOf(held.holders, MAX_HOLDERS_DIGITS),
    cusip: held.cusip,
    ticker: listed?.ticker ?? null,
    holders: held.holders,
    latestQuarterEnd: held.latestQuarterEnd,
  };
}

/** Logarithmic, so that funds and securities share one scale. */
function weightOf(amount: number, digits: number): number {
  const share = Math.log10(1 + Math.max(0, amount)) / digits;
  return Math.min(MAX_WEIGHT, Math.round(share * MAX_WEIGHT));
}

/** Weight descending, then type and id: the order in which entries are stored and searched. */
export function compareEntries(a: SearchEntry, b: SearchEntry): number {
  return b.weight - a.weight || compare(a.type, b.type) || compare(a.id, b.id);
}
