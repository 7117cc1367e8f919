import { expect, it } from 'vitest';
import { holding, moved, peersOf, reportBy, type SampleHolding, stock } from './peers.sample.ts';

const GONE = stock(1);
const KEPT = stock(2);
/** Every manager keeps another stock, so that it reported both quarters. */
const managers = (leaving: number, staying = 0): SampleHolding[] =>
  Array.from({ length: leaving + staying }, (_, at) => [
    ...moved(at + 1, GONE, [500n, at < leaving ? 0n : 510n]),
    ...moved(at + 1, KEPT, [700n, 700n]),
  ]).flat();
const corporateActionsOf = (holdings: readonly SampleHolding[]) => peersOf(holdings).peers.corporateActions;

it('a security that nine of ten holders left at once vanished, one that eight left did not (rule 4.9)', () => {
  expect(corporateActionsOf(managers(9, 1))).toEqual([
    { kind: 'mass_exit', cusip: GONE, votes: 9, compared: 10 },
  ]);
  expect(corporateActionsOf(managers(8, 2))).toEqual([]);
});

it('four holders that leave prove no corporate action (rule 4.9)', () => {
  expect(corporateActionsOf(managers(5))).toHaveLength(1);
  expect(corporateActionsOf(managers(4))).toEqual([]);
});

it('a holder that did not report the quarter has not left (rules 2.11 and 4.9)', () => {
  const silent = managers(5).filter(({ by, side }) => by !== 5 || side === 'prior');
  expect(corporateActionsOf(silent)).toEqual([]);
  const notice = { ...reportBy(5, 'current'), filings: [], isComparable: false };
  expect(peersOf(silent, { reports: { current: [notice] } }).peers.corporateActions).toEqual([]);
  expect(
    peersOf(silent, { reports: { current: [reportBy(5, 'current')] } }).peers.corporateActions,
  ).toHaveLength(1);
});

it('a position in doubt is still held (rule 4.9)', () => {
  const doubtful = holding(1, GONE, { amount: 500n, reasons: ['amount_negative'] });
  expect(corporateActionsOf([...managers(5), doubtful])).toEqual([]);
});
