import { expect, it } from 'vitest';
import {
  filer,
  holding,
  peersOf,
  reportBy,
  type SampleHolding,
  type SampleOptions,
  stock,
} from './peers.sample.ts';

const [OLD, NEW] = [1, 2];
/** The old manager's last positions and the new manager's first ones. */
const takeover = ({ size = 10, carried = 10, shares = 1_000n } = {}): SampleHolding[] =>
  Array.from({ length: size }, (_, at) => [
    holding(OLD, stock(at + 1), { side: 'prior', amount: 1_000n }),
    holding(NEW, stock(at < carried ? at + 1 : at + 100), { amount: shares }),
  ]).flat();
const predecessorOf = (holdings: readonly SampleHolding[], options?: SampleOptions) =>
  peersOf(holdings, options).verdicts.get(filer(NEW))?.predecessor ?? null;

it('a new manager that first reports nine tenths of ended positions took them over (rule 4.10)', () => {
  expect(predecessorOf(takeover({ carried: 9 }))).toBe(filer(OLD));
  expect(predecessorOf(takeover({ carried: 8 }))).toBeNull();
});

it('half or twice the shares are still the same position, less or more are not (rule 4.10)', () => {
  expect(predecessorOf(takeover({ shares: 500n }))).toBe(filer(OLD));
  expect(predecessorOf(takeover({ shares: 2_000n }))).toBe(filer(OLD));
  expect(predecessorOf(takeover({ shares: 499n }))).toBeNull();
});

it('a manager that still reports holdings was not taken over; one that files notices may be (rule 4.10)', () => {
  const reporting = { reports: { current: [reportBy(OLD, 'current')] } };
  expect(predecessorOf(takeover(), reporting)).toBeNull();
  const notice = { ...reportBy(OLD, 'current'), filings: [], isComparable: false };
  expect(predecessorOf(takeover(), { reports: { current: [notice] } })).toBe(filer(OLD));
});

it('a manager that filed before, the quarter before or earlier, is not new (rule 4.10)', () => {
  expect(predecessorOf(takeover(), { earlierFilers: [NEW] })).toBeNull();
  expect(predecessorOf(takeover(), { reports: { prior: [reportBy(NEW, 'prior')] } })).toBeNull();
});

it('a few positions in common prove nothing (rule 4.10)', () => {
  expect(predecessorOf(takeover({ size: 5 }))).toBe(filer(OLD));
  expect(predecessorOf(takeover({ size: 4 }))).toBeNull();
});

it('of two managers that ended, the one with the nearer positions was taken over (rule 4.10)', () => {
  const third = takeover().map((one) => (one.by === OLD ? { ...one, by: 3 } : one));
  const [first, ...others] = third as [SampleHolding, ...SampleHolding[]];
  const nearly = [{ ...first, cusip: stock(50) }, ...others].filter(({ side }) => side === 'prior');
  expect(predecessorOf([...nearly, ...takeover()])).toBe(filer(OLD));
});
