import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Accession, Cik, IsoDate } from '../ids.ts';
import { quarterPrices, rememberingPrices } from '../insider/price.ts';
import type { FiledPosition } from './filed-position.ts';
import type { FiledQuarters, FiledReport } from './filed-quarter.ts';
import {
  cashMerger,
  type Market,
  moveBy,
  NEW,
  OLD,
  offering,
  PARENT,
  rushOfBuyers,
  spinOff,
  stockMerger,
} from './market.sample.ts';
import {
  filer,
  market as heldAlike,
  quartersOf,
  reportBy,
  reportsOf,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';
import { peersOf, rememberingPeers } from './peers.ts';

const SIDES: readonly Side[] = ['prior', 'current', 'next'];
const EVENTS: readonly ((market: Market) => SampleHolding[])[] = [
  (market) => moveBy(market, 3, [90_000n, 33_000n]),
  (market) => moveBy(market, 1, [9_000n, 9_400n], NEW),
  rushOfBuyers,
  offering,
  stockMerger,
  cashMerger,
  spinOff,
];

/** What a manager's next report of a quarter is, made of the one that stands. */
type Amendment = (report: FiledReport, size: number) => FiledReport | null;

const each = (change: (position: FiledPosition, at: number) => FiledPosition | null): Amendment => {
  return (report) => ({ ...report, positions: report.positions.flatMap((one, at) => change(one, at) ?? []) });
};
const AMENDMENTS: Readonly<Record<string, Amendment>> = {
  withdrawn: () => null,
  notice: (report) => ({ ...report, isComparable: false, positions: [] }),
  'shares in doubt': (report) => ({ ...report, isComparable: !report.isComparable }),
  'the same again': (report) => report,
  'in thousands': each((one) => ({ ...one, valueCents: one.valueCents / 1_000n })),
  'in dollars': each((one) => ({ ...one, valueCents: one.valueCents * 1_000n })),
  'a slip': (report, size) =>
    each((one, at) => (at === size ? { ...one, valueCents: one.valueCents * 40n } : one))(report, size),
  'other counts': (report, size) =>
    each((one, at) => ({ ...one, amount: one.amount + BigInt(size * (at % 3)) }))(report, size),
  'a position left out': (report, size) => each((one, at) => (at === size ? null : one))(report, size),
  'a position in doubt': each((one, at) => (at === 1 ? { ...one, reasons: ['cusip_malformed'] } : one)),
  'another name': each((one) => ({ ...one, issuer: `${one.issuer} NEW` })),
  'filed by an amendment': (report, size) => {
    const accession = `${report.cik}-24-00001${size % 3}` as Accession;
    const filings = [...report.filings.slice(0, 1), { accession, filedDate: '2024-09-01' as IsoDate }];
    return {
      ...(each((one, at) => (at % 2 === size % 2 ? { ...one, accession } : one))(
        report,
        size,
      ) as FiledReport),
      filings,
    };
  },
  'a new position': (report, size) => ({
    ...report,
    positions: [
      ...report.positions.filter(({ cusip }) => cusip !== [OLD, NEW, PARENT, stock(9)][size % 4]),
      {
        ...{ cusip: [OLD, NEW, PARENT, stock(9)][size % 4] as typeof OLD, issuer: 'ISSUER' },
        ...{ amount: BigInt(1_000 * size + 1_000), valueCents: BigInt(1_000 * size + 1_000) * 2_000n },
        ...{ accession: report.filings[0]?.accession ?? null, reasons: [] },
      },
    ],
  }),
};

const step = fc.record({
  by: fc.integer({ min: 1, max: 40 }),
  side: fc.constantFrom(...SIDES, 'current' as const),
  amendment: fc.constantFrom(...Object.keys(AMENDMENTS)),
  size: fc.integer({ min: 0, max: 5 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

type Standing = Record<Side, Map<Cik, FiledReport>>;

function standingIn(holdings: readonly SampleHolding[]): Standing {
  const side = (name: Side) => new Map(reportsOf(name, holdings).map((report) => [report.cik, report]));
  return { prior: side('prior'), current: side('current'), next: side('next') };
}

/** Puts what the step makes of the manager's report, or its first one. */
function take(standing: Standing, quarters: FiledQuarters, { by, side, amendment, size }: Step): void {
  const before = standing[side].get(filer(by)) ?? { ...reportBy(by, side), positions: [] };
  const after = AMENDMENTS[amendment]?.(before, size) ?? null;
  if (after === null) {
    standing[side].delete(before.cik);
    quarters[side].drop(before.cik);
  } else {
    standing[side].set(before.cik, after);
    quarters[side].put(after);
  }
}

function columnsOf(standing: Standing): FiledQuarters {
  const [prior, current, next] = SIDES.map((side) => [...standing[side].values()]);
  return quartersOf({ prior: prior ?? [], current: current ?? [], next: next ?? [] });
}

const answered = (quarters: FiledQuarters, peers: typeof peersOf, prices: typeof quarterPrices) => {
  const { verdicts, peers: own } = peers(quarters);
  return { own, verdicts: [...verdicts], prices: [...prices(quarters, verdicts)].sort() };
};

it('what is remembered never changes an answer, whatever is amended, added and withdrawn', {
  timeout: 120_000,
}, () => {
  const event = fc.constantFrom(...EVENTS);
  const size = fc.record({
    seed: fc.integer({ min: 1, max: 999 }),
    managers: fc.integer({ min: 8, max: 30 }),
  });
  fc.assert(
    fc.property(
      event,
      size,
      fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
      (happens, { seed, managers }, rounds) => {
        const known = heldAlike([1, 2, 3, 4, 5, 41, 42], 6).filter(({ by }) => by > 40 || seed % 2 === 0);
        const event = happens({ seed, managers, still: 15 });
        const taken = new Set(event.map(({ by, side, cusip }) => `${by} ${side} ${cusip}`));
        const standing = standingIn([
          ...event,
          ...known.filter(({ by, side, cusip }) => !taken.has(`${by} ${side} ${cusip}`)),
        ]);
        const quarters = columnsOf(standing);
        const [peers, prices] = [rememberingPeers(), rememberingPrices()];
        for (const steps of [[], ...rounds]) {
          for (const one of steps) take(standing, quarters, one);
          const whole = answered(columnsOf(standing), peersOf, quarterPrices);
          expect(answered(quarters, peers, prices)).toEqual(whole);
        }
      },
    ),
    { numRuns: 150 },
  );
});
