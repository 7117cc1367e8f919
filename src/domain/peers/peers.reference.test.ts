import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compare } from '../compare.ts';
import type { Accession, Cusip } from '../ids.ts';
import { tallyPrice } from '../report/scale.ts';
import { arrivalIn, cusipChanges, departureFrom } from './cusip-change.ts';
import { isQuote, isSound } from './filed-position.ts';
import type { HolderMoves } from './holder-move.ts';
import { cashMerger, stockMerger } from './market.sample.ts';
import { massExitFrom } from './mass-move.ts';
import {
  FILED,
  filer,
  filingOf,
  holding,
  peersOf,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';
import { medianOf } from './price.ts';
import { addCompared, decideScale, emptySample, filingPrices, isDoubtful, isOnScale } from './scale-vote.ts';
import { splitVerdict } from './split-vote.ts';
import type { CorporateAction } from './verdict.ts';

/**
 * The same answers from lists that are searched for each question: no columns, no numbers in place of
 * names, no rows that are skipped because they did not change.
 */
const SCALE = 100n;
const logOf = ({ amount, valueCents }: SampleHolding) => Math.log10(Number(valueCents) / Number(amount));
const accessionOf = ({ by, side }: SampleHolding) => filingOf(by, side);
const median = (logs: readonly number[]) =>
  logs.length < 3 ? null : medianOf(logs.toSorted((a, b) => a - b));

function quotesAt(holdings: readonly SampleHolding[], side: Side, cusip: Cusip) {
  const own = holdings.filter((one) => one.side === side && one.cusip === cusip);
  return own.filter((one) => isQuote({ ...one, accession: accessionOf(one) }, SCALE));
}

function scalesOf(holdings: readonly SampleHolding[]) {
  const current = holdings.filter(({ side }) => side === 'current');
  const accessions = [...new Set(current.map(accessionOf))];
  const cusips = [...new Set(current.map(({ cusip }) => cusip))];
  const pass = (shifts: ReadonlyMap<Accession, number>) => {
    const samples = new Map(accessions.map((one) => [one, emptySample(filingPrices(one, SCALE))]));
    for (const one of current.filter(({ valueCents }) => valueCents > 0n)) {
      const sample = samples.get(accessionOf(one));
      if (sample === undefined) continue;
      sample.totalCents += one.valueCents;
      tallyPrice(sample.own, one, SCALE);
    }
    const compared = cusips.flatMap((cusip) => comparedRows(holdings, cusip, shifts));
    for (const { one, price } of compared) {
      const sample = samples.get(accessionOf(one));
      if (sample !== undefined) addCompared(sample, logOf(one) - price, () => one.valueCents);
    }
    return { samples, compared };
  };
  const shiftsOf = ({ samples }: ReturnType<typeof pass>) =>
    new Map(
      [...samples].map(([accession, sample]) => {
        const scale = decideScale(sample);
        if (scale === null) return [accession, 0];
        return [
          accession,
          isDoubtful(sample, scale) ? Number.NaN : Math.log10(Number(scale.scaleCents) / 100),
        ];
      }),
    );
  const first = pass(new Map(accessions.map((one) => [one, 0])));
  const last = pass(shiftsOf(first));
  const shifts = shiftsOf(last);
  const slips = cusips
    .flatMap((cusip) => comparedRows(holdings, cusip, shifts))
    .filter(({ isSameDay, one, price }) => {
      const sample = last.samples.get(accessionOf(one));
      const isJudged = sample !== undefined && isOnScale(sample.logs.length, decideScale(sample));
      const ratio = logOf(one) + (shifts.get(accessionOf(one)) ?? 0) - price;
      return isSameDay && isJudged && Math.abs(ratio) > 1;
    });
  return { samples: last.samples, slips };
}

/** The rows of a security that others price, and the price of the others. */
function comparedRows(
  holdings: readonly SampleHolding[],
  cusip: Cusip,
  shifts: ReadonlyMap<Accession, number>,
) {
  const quotes = quotesAt(holdings, 'current', cusip);
  const isSameDay = quotes.length > 3;
  const others = (side: Side, by: number, corrected: boolean) =>
    quotesAt(holdings, side, cusip)
      .filter((one) => one.by !== by)
      .map((one) => logOf(one) + (corrected ? (shifts.get(accessionOf(one)) ?? 0) : 0))
      .filter((log) => !Number.isNaN(log));
  return quotes.flatMap((one) => {
    const price = isSameDay
      ? median(others('current', one.by, true))
      : (median(others('prior', one.by, false)) ?? median(others('next', one.by, false)));
    return price === null ? [] : [{ one, price, isSameDay }];
  });
}

function actionsOf(holdings: readonly SampleHolding[]) {
  const [before, after] = (['prior', 'current'] as const).map((side) =>
    holdings.filter((one) => one.side === side),
  );
  const both = new Set(before?.map(({ by }) => by).filter((by) => after?.some((one) => one.by === by)));
  const [departures, arrivals] = [
    [] as ReturnType<typeof departureFrom>[],
    [] as ReturnType<typeof arrivalIn>[],
  ];
  const kept = new Set<Cusip>();
  const cusips = [...new Set(holdings.map(({ cusip }) => cusip))];
  const held = (all: readonly SampleHolding[] = []) => all.filter(({ by }) => both.has(by));
  const found = cusips.map((cusip) => {
    const at = (all: readonly SampleHolding[] = []) =>
      all.filter((one) => one.cusip === cusip && both.has(one.by));
    const moves = movesOf(at(before).filter(isSoundOne), at(after));
    departures.push(departureFrom(cusip, moves));
    arrivals.push(arrivalIn(cusip, moves));
    if (moves.throughout.managers.length > 0) kept.add(cusip);
    const [then, now] = (['prior', 'current'] as const).map((side) =>
      median(quotesAt(holdings, side, cusip).map(logOf)),
    );
    const prices = () => ({ before: then ?? null, after: now ?? null });
    return massExitFrom(cusip, moves) ?? splitVerdict(cusip, moves.throughout, prices);
  });
  const moved = cusipChanges(
    departures.flatMap((one) => one ?? []),
    arrivals.flatMap((one) => one ?? []),
  );
  const [then, now] = [held(before), held(after)];
  const continued = continuedIn(then, now).filter(({ cusip, from }) => !kept.has(cusip) && !kept.has(from));
  const ends = (action: CorporateAction) =>
    action.kind === 'cusip_change'
      ? [`from ${action.from}`, `to ${action.cusip}`]
      : [`${action.kind === 'mass_entry' ? 'to' : 'from'} ${action.cusip}`];
  const add = (known: CorporateAction[], next: readonly CorporateAction[]) => {
    const taken = new Set(known.flatMap(ends));
    return [...known, ...next.filter((one) => !ends(one).some((end) => taken.has(end)))];
  };
  const given = cusips.filter((cusip) => isGiven(cusip, then, now)).map((cusip) => entryOf(cusip, then, now));
  const actions = [bestPairs(continued), found.filter((one) => one !== null), given].reduce<
    CorporateAction[]
  >(add, moved);
  const exits = actions.filter(({ kind }) => kind === 'mass_exit');
  return [...actions, ...mergersOf(exits, { holdings, then, now })].sort(
    (a, b) => compare(a.cusip, b.cusip) || compare(a.kind, b.kind),
  );
}

/** For each security that ceased, the stocks of which its holders gained one multiple. */
function mergersOf(
  exits: readonly CorporateAction[],
  { holdings, then, now }: Readonly<Record<'holdings' | 'then' | 'now', readonly SampleHolding[]>>,
): CorporateAction[] {
  const amountIn = (all: readonly SampleHolding[], by: number, cusip: Cusip) =>
    Number(all.find((one) => one.by === by && one.cusip === cusip)?.amount ?? 0n);
  const priceOf = (side: Side, cusip: Cusip) => median(quotesAt(holdings, side, cusip).map(logOf));
  const stocks = [...new Set(now.map(({ cusip }) => cusip))];
  return exits.flatMap(({ cusip: from, votes: compared }) =>
    stocks.flatMap((cusip): CorporateAction[] => {
      const gains = then.flatMap(({ by, cusip: target, amount, valueCents }) => {
        if (target !== from || now.some((one) => one.by === by && one.cusip === from)) return [];
        const before = amountIn(then, by, cusip);
        const gained = amountIn(now, by, cusip) - before;
        const held = now.find((one) => one.by === by && one.cusip === cusip);
        const value = (gained * Number(held?.valueCents)) / Number(held?.amount) / Number(valueCents);
        const isOneValue = value <= 2 && value >= 1 / 2;
        return gained > 0 ? [{ gained, before, target: Number(amount), isOneValue }] : [];
      });
      const exact = gains
        .filter(({ gained, isOneValue }) => gained >= 1_000 && isOneValue)
        .map(({ gained, target }, _, telling) => {
          const low = (gained - 1) / target;
          return telling.filter(
            (one) => one.gained - 1 <= low * one.target && one.gained + 1 >= low * one.target,
          ).length;
        });
      const most = Math.max(0, ...exact);
      if (most >= 10) return [{ kind: 'stock_merger', cusip, from, votes: most, multiple: 0, compared }];
      const multiples = gains
        .filter(({ gained, before }) => gained > before)
        .map(({ gained, target }) => gained / target)
        .sort((a, b) => a - b);
      const middle = multiples.length < 10 ? Number.NaN : medianOf(multiples);
      const near = multiples.filter((one) => one >= middle / 1.25 && one <= middle * 1.25).length;
      const value = (priceOf('current', cusip) ?? 9) + Math.log10(middle) - (priceOf('prior', from) ?? 9);
      if (near < 10 || near < multiples.length * 0.6 || !(Math.abs(value) <= Math.log10(2))) return [];
      return [{ kind: 'stock_merger', cusip, from, votes: near, multiple: 0, compared }];
    }),
  );
}

/** Exits and starts of equal counts by pair of CUSIPs: how many, and those at half to twice the value. */
function continuedIn(then: readonly SampleHolding[], now: readonly SampleHolding[]) {
  const pairs = new Map<
    string,
    { from: Cusip; cusip: Cusip; votes: number; all: number; distance: number }
  >();
  const isIn = (all: readonly SampleHolding[], { by, cusip }: SampleHolding) =>
    all.some((one) => one.by === by && one.cusip === cusip);
  const exits = then.filter((one) => isSoundOne(one) && one.amount >= 1_000n && !isIn(now, one));
  const starts = now.filter((one) => isSoundOne(one) && !isIn(then, one));
  for (const exit of exits) {
    for (const start of starts.filter(({ by, amount }) => by === exit.by && amount === exit.amount)) {
      const key = `${exit.cusip} ${start.cusip}`;
      const ratio = Number(start.valueCents) / Number(exit.valueCents);
      const { votes, all, distance } = pairs.get(key) ?? { votes: 0, all: 0, distance: 9 };
      pairs.set(key, {
        ...{ from: exit.cusip, cusip: start.cusip, all: all + 1 },
        votes: votes + (ratio <= 2 && ratio >= 1 / 2 ? 1 : 0),
        distance: Math.min(distance, Math.abs(Math.log(ratio))),
      });
    }
  }
  return [...pairs.values()];
}

function bestPairs(pairs: ReturnType<typeof continuedIn>): CorporateAction[] {
  const ranked = pairs
    .filter(({ votes }) => votes > 0)
    .sort(
      (a, b) =>
        b.votes - a.votes || a.distance - b.distance || compare(a.from, b.from) || compare(a.cusip, b.cusip),
    );
  const chosen: typeof pairs = [];
  for (const pair of ranked) {
    if (!chosen.some(({ from, cusip }) => from === pair.from || cusip === pair.cusip)) chosen.push(pair);
  }
  const given = new Map<Cusip, number>();
  for (const { from, cusip, all } of pairs) {
    if (!chosen.some((one) => one.from === from) || chosen.some((one) => one.cusip === cusip)) continue;
    given.set(cusip, (given.get(cusip) ?? 0) + all);
  }
  return [
    ...chosen.map(({ from, cusip, votes }) => ({
      ...{ kind: 'cusip_change' as const, cusip, from, factor: { numerator: 1n, denominator: 1n } },
      ...{ votes, compared: votes },
    })),
    ...[...given].map(([cusip, votes]) => ({ kind: 'mass_entry' as const, cusip, votes, compared: votes })),
  ];
}

function entryOf(cusip: Cusip, then: readonly SampleHolding[], now: readonly SampleHolding[]) {
  const all = now.filter((one) => one.cusip === cusip).filter(isSoundOne);
  const isNew = ({ by }: SampleHolding) =>
    !then.some((one) => one.by === by && one.cusip === cusip && isSoundOne(one));
  return { kind: 'mass_entry' as const, cusip, votes: all.filter(isNew).length, compared: all.length };
}

/** Whether three fifths of its new holders held one other security, and most of these hold one multiple of it. */
function isGiven(cusip: Cusip, then: readonly SampleHolding[], now: readonly SampleHolding[]): boolean {
  const { votes, compared } = entryOf(cusip, then, now);
  if (votes < 5 || votes * 10 < compared * 9) return false;
  const own = now.filter((one) => one.cusip === cusip && isSoundOne(one));
  const isNew = ({ by }: SampleHolding) =>
    !then.some((one) => one.by === by && one.cusip === cusip && isSoundOne(one));
  const managers = new Set([...then].map(({ by }) => by)).size;
  return [...new Set(then.map((one) => one.cusip))].some((parent) => {
    const multiples = own.filter(isNew).flatMap(({ by, amount }) => {
      const had = then.find((one) => one.by === by && one.cusip === parent);
      return had === undefined ? [] : [Number(amount) / Number(had.amount)];
    });
    const holders = new Set(
      then.filter((one) => one.cusip === parent && isSoundOne(one)).map(({ by }) => by),
    );
    const share = multiples.length / votes;
    if (share < 0.6 || share < (2 * holders.size) / managers) return false;
    const middle = medianOf(multiples.toSorted((a, b) => a - b));
    const near = multiples.filter((one) => one >= middle / 1.25 && one <= middle * 1.25).length;
    return near >= 5 && near >= multiples.length * 0.6;
  });
}

const isSoundOne = (one: SampleHolding): boolean => isSound({ ...one, accession: null });

function movesOf(before: readonly SampleHolding[], after: readonly SampleHolding[]): HolderMoves {
  const now = after.filter(isSoundOne);
  const priorOf = ({ by }: SampleHolding) => before.find((one) => one.by === by);
  const kept = now.filter((one) => priorOf(one) !== undefined);
  const once = (all: readonly SampleHolding[]): HolderMoves['left'] => ({
    length: all.length,
    managers: () => Int32Array.from(all, ({ by }) => by),
    holders: () =>
      all.map(({ by, issuer, amount, valueCents }) => {
        const shares = Number(amount);
        return {
          cik: filer(by),
          issuer,
          shares,
          price: valueCents > 0n ? Number(valueCents) / shares : null,
        };
      }),
  });
  return {
    throughout: {
      managers: Int32Array.from(kept, ({ by }) => by),
      prior: Float64Array.from(kept, (one) => Number(priorOf(one)?.amount)),
      amount: Float64Array.from(kept, ({ amount }) => Number(amount)),
    },
    left: once(before.filter(({ by }) => !after.some((one) => one.by === by))),
    entered: once(now.filter((one) => priorOf(one) === undefined)),
  };
}

/** The reference counts who gained alike; the multiple itself is proven by stock-merger.test.ts. */
const withoutMultiple = (action: CorporateAction): CorporateAction =>
  action.kind === 'stock_merger' ? { ...action, multiple: 0 } : action;

it('columns find the stock mergers of a plain search through lists (rule 4.9)', () => {
  for (const seed of [1, 2, 3, 4]) {
    for (const build of [stockMerger, cashMerger]) {
      const holdings = build({ managers: 60, still: seed * 10, seed });
      const { peers } = peersOf(holdings);
      expect(peers.corporateActions.map(withoutMultiple)).toEqual(actionsOf(holdings));
    }
  }
});

const anyHolding = fc
  .record({
    side: fc.constantFrom<Side>('prior', 'current', 'next'),
    by: fc.integer({ min: 1, max: 12 }),
    at: fc.integer({ min: 1, max: 7 }),
    amount: fc.constantFrom(-5n, 500n, 1_000n, 1_001n, 2_000n, 4_000n, 10n ** 17n),
    price: fc.constantFrom(1n, 2n, 1_000n, 1_000n, 2_000n, 2_000_000n),
    reasons: fc.constantFrom([], [], [], ['cusip_checksum_failed'] as const),
  })
  .map(({ at, by, ...fields }) => holding(by, stock(at), fields));

it('columns give the answers of a plain search through lists (rule 4.1)', () => {
  const quarters = fc.uniqueArray(anyHolding, {
    selector: ({ side, by, cusip }) => `${side} ${by} ${cusip}`,
    minLength: 40,
    maxLength: 200,
  });
  expect(FILED.current > '2023-01-03').toBe(true);
  fc.assert(
    fc.property(quarters, (holdings) => {
      const { peers, verdicts } = peersOf(holdings);
      expect(peers.corporateActions.map(withoutMultiple)).toEqual(actionsOf(holdings));
      const { samples, slips } = scalesOf(holdings);
      for (const [accession, sample] of samples) {
        const cik = accession.slice(0, 10);
        const verdict = [...verdicts].find(([own]) => own === cik)?.[1];
        const scale = decideScale(sample);
        expect(verdict?.scales ?? []).toEqual(scale === null ? [] : [scale]);
        const outliers = slips
          .filter(({ one }) => accessionOf(one) === accession)
          .map(({ one }) => one.cusip);
        expect(verdict?.outliers ?? []).toEqual(outliers.sort());
      }
    }),
    { numRuns: 200 },
  );
});
