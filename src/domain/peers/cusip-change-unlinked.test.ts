import { expect, it } from 'vitest';
import type { Cusip } from '../ids.ts';
import { holding, moved, peersOf, type SampleHolding, stock } from './peers.sample.ts';

const [OLD, NEW, OTHER] = ['00165C104', '00165C302', '99165C302'] as [Cusip, Cusip, Cusip];
const KEPT = stock(9);

/** One holder for each ratio, of whom each had a thousand shares of the old CUSIP. */
const carry = (amounts: readonly bigint[], now = NEW): SampleHolding[] =>
  amounts.flatMap((amount, at) => [
    ...moved(at + 1, KEPT, [700n, 700n]),
    holding(at + 1, OLD, { side: 'prior', amount: 1_200n, price: 1_000n }),
    holding(at + 1, now, { side: 'current', amount, price: 12_000n }),
  ]);
const keep = (count: number, from: number): SampleHolding[] =>
  Array.from({ length: count }, (_, at) => from + at).flatMap((by) => [
    ...moved(by, KEPT, [700n, 700n]),
    ...moved(by, OLD, [1_200n, 1_200n]),
  ]);
const corporateActionsOf = (holdings: readonly SampleHolding[]) =>
  peersOf(holdings).peers.corporateActions.filter(({ cusip }) => cusip !== KEPT);

const TRADED = [120n, 120n, 120n, 90n, 140n, 151n, 77n];

it('most holders that went over to a sister CUSIP at no agreed ratio neither sold nor bought (rule 4.8)', () => {
  expect(corporateActionsOf([...carry(TRADED), ...keep(2, 20)])).toEqual([
    { kind: 'mass_exit', cusip: OLD, votes: 7, compared: 9 },
    { kind: 'mass_entry', cusip: NEW, votes: 7, compared: 7 },
  ]);
});

it('fewer than five do so at one ratio off the list, and prove nothing at several (rule 4.8)', () => {
  expect(corporateActionsOf(carry([100n, 100n, 100n, 61n]))).toMatchObject([
    { kind: 'mass_exit' },
    { kind: 'mass_entry' },
  ]);
  expect(corporateActionsOf(carry([100n, 77n, 61n, 140n]))).toEqual([]);
  expect(corporateActionsOf(carry([1_200n, 1_200n, 1_200n, 61n]))).toEqual([]);
});

it('a linked change is reported as one and as nothing else (rule 4.8)', () => {
  expect(corporateActionsOf(carry([120n, 120n, 120n, 120n, 77n]))).toMatchObject([{ kind: 'cusip_change' }]);
});

it('holders that went over to another issuer sold the one and bought the other (rule 4.8)', () => {
  expect(corporateActionsOf([...carry(TRADED, OTHER), ...keep(2, 20)]).map(({ kind }) => kind)).not.toContain(
    'mass_exit',
  );
});
