import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/runs.ts';
import { sampleManager } from '../filing/filing.sample.ts';
import type { Accession, Cik, Cusip, IsoDate } from '../ids.ts';
import { quarterPrices, rememberingPrices } from '../insider/price.ts';
import { NAMES_NOBODY } from '../report/other-manager.ts';
import type { FiledPosition, FiledQuarters, FiledReport } from './filed-quarter.ts';
import { EVENTS, NEW, OLD, PARENT, stockMerger } from './market.sample.ts';
import {
  filer,
  market as heldAlike,
  holding,
  quartersOf,
  reportBy,
  reportsOf,
  type SampleHolding,
  type Side,
  stock,
} from './peers.sample.ts';
import { peersOf, rememberingPeers } from './peers.ts';

const SIDES: readonly Side[] = ['prior', 'current', 'next'];

/** What the next report of the manager with the number `by` is, made of the one that stands. */
type Amend = (report: FiledReport, size: number, by: number) => FiledReport | null;

const each =
  (change: (position: FiledPosition, at: number, size: number, by: number) => FiledPosition | null): Amend =>
  (report, size, by) => ({
    ...report,
    positions: report.positions.flatMap((one, at) => change(one, at, size, by) ?? []),
  });
const worth = (one: FiledPosition, times: bigint, by = 1n): FiledPosition => ({
  ...one,
  valueCents: (one.valueCents * times) / by,
});
const AMENDMENTS: Readonly<Record<string, Amend>> = {
  withdrawn: () => null,
  notice: (report) => ({ ...report, isComparable: false, positions: [] }),
  'shares in doubt': (report) => ({ ...report, isComparable: !report.isComparable }),
  'the same again': (report) => report,
  'in thousands': each((one) => worth(one, 1n, 1_000n)),
  'in dollars': each((one) => worth(one, 1_000n)),
  'a slip': each((one, at, size) => (at === size ? worth(one, 40n) : one)),
  'other counts': each((one, at, size, by) => ({
    ...one,
    amount: one.amount + BigInt(size * by * (at % 3) * 100),
  })),
  'a position left out': each((one, at, size) => (at === size ? null : one)),
  'a position in doubt': each((one, at) => (at === 1 ? { ...one, reasons: ['cusip_malformed'] } : one)),
  'another name': each((one) => ({ ...one, issuer: `${one.issuer} NEW` })),
  'filed by an amendment': (report, size, by) => {
    const accession = `${report.cik}-24-00001${size % 3}` as Accession;
    const filings = [...report.filings.slice(0, 1), { accession, filedDate: '2024-09-01' as IsoDate }];
    const amended = each((one, at) => (at % 2 === size % 2 ? { ...one, accession } : one))(report, size, by);
    return amended && { ...amended, filings };
  },
  'a new position': (report, size, by) => {
    const cusip = [OLD, NEW, PARENT, stock(9)][size % 4] as Cusip;
    const amount = BigInt(1_000 * size + 100 * by);
    const accession = report.filings[0]?.accession ?? null;
    const others = report.positions.filter((one) => one.cusip !== cusip);
    const added = { cusip, issuer: 'ISSUER', amount, valueCents: amount * 2_000n, accession, reasons: [] };
    return { ...report, positions: [...others, added] };
  },
};

type Standing = Record<Side, Map<Cik, FiledReport>>;

function standingIn(holdings: readonly SampleHolding[]): Standing {
  const side = (name: Side) => new Map(reportsOf(name, holdings).map((report) => [report.cik, report]));
  return { prior: side('prior'), current: side('current'), next: side('next') };
}

function columnsOf(standing: Standing): FiledQuarters {
  const [prior, current, next] = SIDES.map((side) => [...standing[side].values()]);
  return quartersOf({ prior: prior ?? [], current: current ?? [], next: next ?? [] });
}

/** Puts and withdraws reports, and compares what is remembered with an answer from nothing. */
function world(standing: Standing) {
  const quarters = columnsOf(standing);
  const [peers, prices] = [rememberingPeers(), rememberingPrices()];
  const answers = (of: FiledQuarters, judge: typeof peersOf, price: typeof quarterPrices) => {
    const { verdicts, peers: own } = judge(of);
    return { own, verdicts: [...verdicts], prices: [...price(of, verdicts)].sort() };
  };
  return {
    put(side: Side, cik: Cik, report: FiledReport | null): void {
      if (report === null) {
        standing[side].delete(cik);
        quarters[side].drop(cik);
      } else {
        standing[side].set(cik, report);
        quarters[side].put(report);
      }
    },
    expectSameAnswers(): void {
      const whole = answers(columnsOf(standing), peersOf, quarterPrices);
      expect(answers(quarters, peers, prices)).toEqual(whole);
    },
  };
}

/** Some managers, one after another, amend alike. */
const step = fc.record({
  from: fc.integer({ min: 1, max: 30 }),
  count: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 25 })),
  side: fc.constantFrom(...SIDES, 'current' as const),
  amendment: fc.constantFrom(...Object.values(AMENDMENTS)),
  size: fc.integer({ min: 0, max: 5 }),
});
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 12 });
const size = fc.record({
  seed: fc.integer({ min: 1, max: 999 }),
  managers: fc.integer({ min: 8, max: 40 }),
  still: fc.constant(15),
});

it('what is remembered changes no answer, whatever is amended, added and withdrawn', {
  tags: ['long'],
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(fc.constantFrom(...EVENTS), size, rounds, (happens, market, amended) => {
      const event = happens(market);
      const taken = new Set(event.map(({ by, side, cusip }) => `${by} ${side} ${cusip}`));
      const others = heldAlike([1, 2, 3, 41, 42], 6).filter(
        (one) => !taken.has(`${one.by} ${one.side} ${one.cusip}`),
      );
      const standing = standingIn([...event, ...others]);
      const { put, expectSameAnswers } = world(standing);
      expectSameAnswers();
      for (const steps of amended) {
        for (const { from, count, side, amendment, size } of steps) {
          for (let by = from; by < from + count; by += 1) {
            const before = standing[side].get(filer(by)) ?? { ...reportBy(by, side), positions: [] };
            put(side, before.cik, amendment(before, size, by));
          }
        }
        expectSameAnswers();
      }
    }),
    { numRuns: 80 },
  );
});

it('nor where a holder of a target corrects its shares of the acquirer (rule 4.9)', () => {
  const event = stockMerger({ seed: 3, managers: 60, still: 60 });
  const standing = standingIn(event);
  const { put, expectSameAnswers } = world(standing);
  expectSameAnswers();
  const raised = each((one, _at, _size, by) =>
    one.cusip === PARENT ? { ...one, amount: one.amount + BigInt(by * 1_000) } : one,
  );
  for (let by = 2; by <= 40; by += 2) {
    for (const side of ['current', 'prior'] as const) {
      const report = standing[side].get(filer(by));
      if (report !== undefined) put(side, report.cik, raised(report, 0, by));
      expectSameAnswers();
    }
  }
  // A split of the acquirer counts in what the holders of the target gained, also where others proved it.
  const isHolder = ({ cik }: FiledReport) => Number(cik) % 2 === 0;
  for (const report of [...standing.current.values()].sort(
    (a, b) => Number(isHolder(b)) - Number(isHolder(a)),
  )) {
    const split = each((one) => (one.cusip === PARENT ? { ...one, amount: one.amount * 3n } : one));
    put('current', report.cik, split(report, 0, 0));
    if (!isHolder(report)) expectSameAnswers();
  }
}, 60_000);

it('nor where a filing gets another scale by stocks that the filings judged by it do not hold (rule 4.3)', () => {
  const held = (by: number, stocks: readonly number[], thousandth: bigint) =>
    stocks.map((n) => {
      const [amount, price] = [BigInt(5_000 + by), BigInt(1_500 + 700 * n)];
      return holding(by, stock(n), { amount, valueCents: (amount * price) / thousandth });
    });
  const complex = [1, 2, 3, 4].flatMap((by) => held(by, [1, 2, 3, 4, 5, 6, 7], 1_000n));
  const standing = standingIn([...complex, ...held(5, [5, 6, 7], 1_000n)]);
  const { put, expectSameAnswers } = world(standing);
  expectSameAnswers();
  const scaleOfFifth = () => peersOf(columnsOf(standing)).verdicts.get(filer(5))?.scales[0]?.reasons;
  expect(scaleOfFifth()).toEqual(['value_unit_unverified']);
  for (const report of reportsOf(
    'current',
    [11, 12, 13, 14, 15, 16].flatMap((by) => held(by, [1, 2, 3, 4], 1n)),
  )) {
    put('current', report.cik, report);
    expectSameAnswers();
  }
  expect(scaleOfFifth()).toEqual(['value_unit_thousands_after_2023']);
});

const STOCKS = [1, 2, 3, 4, 5, 6, 7];
/** Managers of a few stocks at one price, or at a thousandth of it; null is a withdrawal. */
const filed = fc.record({
  by: fc.integer({ min: 1, max: 7 }),
  side: fc.constantFrom(...SIDES, 'current' as const),
  held: fc.oneof(
    fc.constant(STOCKS),
    fc.uniqueArray(fc.constantFrom(...STOCKS), { maxLength: 7 }),
    fc.constant(null),
  ),
  isOff: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});

it('nor where few filers price a stock, some in another scale, and positions change hands (rules 4.3, 4.8 and 4.10)', {
  tags: ['property'],
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(fc.array(filed, { minLength: 10, maxLength: 50 }), (reports) => {
      const { put, expectSameAnswers } = world(standingIn([]));
      for (const { by, side, held, isOff } of reports) {
        const holdings = (held ?? []).map((n) => {
          const [amount, price] = [BigInt(20_000 + 1_000 * by), BigInt(1_900 + 200 * n)];
          return holding(by, stock(n), {
            side,
            amount,
            valueCents: (amount * price) / (isOff ? 1_000n : 1n),
          });
        });
        const [report = { ...reportBy(by, side), positions: [] }] = reportsOf(side, holdings);
        put(side, report.cik, held === null ? null : report);
        expectSameAnswers();
      }
    }),
    { numRuns: runs(80) },
  );
});

/** A report of few managers, by few names; null is a withdrawal. */
const naming = fc.record({
  by: fc.integer({ min: 1, max: 4 }),
  side: fc.constantFrom('prior', 'current') as fc.Arbitrary<Side>,
  name: fc.constantFrom('', 'Alpha Co.', 'BETA'),
  fileNumber: fc.constantFrom(null, '28-1', '28-2'),
  list: fc.constantFrom('includes', 'reportedBy', null),
  other: fc.constantFrom(
    { name: 'ALPHA CO' },
    { name: 'Beta' },
    { form13fFileNumber: '028-00001' },
    { cik: filer(2) },
  ),
  shares: fc.option(fc.constantFrom(0, 1_000, 2_000), { freq: 4 }),
});

type Naming = typeof naming extends fc.Arbitrary<infer T> ? T : never;

/** A manager is taken in: so that something is found, whatever else is drawn. */
const TAKEN_IN = [
  { by: 1, side: 'prior', name: 'Alpha Co.', list: null },
  { by: 2, side: 'current', name: 'BETA', list: 'includes' },
].map((report) => ({ ...report, fileNumber: null, other: { name: 'ALPHA CO' }, shares: 1_000 })) as Naming[];

it('nor where managers change their names, and those that they name (rule 4.11)', {
  tags: ['property'],
  timeout: 60_000,
}, () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(naming, { minLength: 10, maxLength: 40 }), (reports) => {
      const standing = standingIn([]);
      const { put, expectSameAnswers } = world(standing);
      for (const { by, side, name, fileNumber, list, other, shares } of reports) {
        const named = {
          ...NAMES_NOBODY,
          name,
          fileNumber,
          ...(list ? { [list]: [sampleManager(other)] } : {}),
        };
        const held = shares ? [holding(by, stock(1), { side, amount: BigInt(shares) })] : [];
        const [report = { ...reportBy(by, side), positions: [] }] = reportsOf(side, held);
        put(side, report.cik, shares === null ? null : { ...report, named });
        expectSameAnswers();
      }
      const moved = [...peersOf(columnsOf(standing)).verdicts.values()].flatMap((verdict) => verdict.moved);
      found += moved.length;
    }),
    { numRuns: runs(80), examples: [[TAKEN_IN]] },
  );
  expect(found).toBeGreaterThan(0);
});
