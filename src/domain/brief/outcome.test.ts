import { describe, expect, test } from 'vitest';
import type { OwnershipRow } from '../filing/filing.ts';
import type { QuarterEnd } from '../ids.ts';
import { briefInput, corpus, form4, observation, resolution } from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { outcomeOf } from './outcome.ts';

const BOTH = [true, false];
const combinations = (['resolved', 'unknown', 'ambiguous'] as const).flatMap((kind) =>
  [0, 1].flatMap((observed) =>
    BOTH.flatMap((isSuppressed) =>
      BOTH.map((limited) => ({ resolution: kind, observed, isSuppressed, isLimited: limited })),
    ),
  ),
);

/** The decision table again, as five conditions in order. */
function expected(facts: (typeof combinations)[number]): string {
  const sentences: [string, boolean][] = [
    ['refused', facts.resolution === 'ambiguous'],
    ['no_data', facts.resolution === 'unknown' || facts.observed === 0],
    ['uncertain', facts.isSuppressed],
    ['partial', facts.isLimited],
    ['complete', true],
  ];
  return sentences.find(([, applies]) => applies)?.[0] ?? '';
}

describe('outcomeOf', () => {
  test.each(combinations)('%o', (facts) => {
    expect(outcomeOf(facts)).toBe(expected(facts));
  });
});

const traded = (row: Partial<OwnershipRow>) => ({ ownershipFilings: [form4({ number: 1, rows: [row] })] });

describe('what makes a brief less than complete', () => {
  const observations = [observation()];
  const outcome = (fields: Parameters<typeof briefInput>[0]): string =>
    buildBrief(briefInput({ observations, ...fields })).outcome;

  test('nothing: complete', () => {
    expect(outcome({})).toBe('complete');
    expect(outcome({ observations: [], ownershipFilings: [form4({ number: 1 })] })).toBe('complete');
  });

  test.each([
    ['an open window', { corpus: corpus({ filingWindow: 'open' }) }],
    ['partial 13F coverage', { corpus: corpus({ quarantined: { thirteenF: 1, form4: 0 } }) }],
    ['partial Form 4 coverage', { corpus: corpus({ indexedThrough: null }) }],
    ['an unknown issuer', { resolution: resolution({ issuerCik: null }) }],
    ['a later mapping', { resolution: resolution({ reasons: ['mapping_later_source'] }) }],
    ['a baseline', { observations: [observation(), observation({ comparable: false })] }],
    [
      'a small uncertain change',
      { observations: [observation(), observation({ currentShares: 1_001n, reasons: ['split_suspected'] })] },
    ],
    [
      'an excluded observation',
      { observations: [observation(), observation({ reasons: ['amount_negative'] })] },
    ],
    [
      'a report that is incomplete by its own account',
      { observations: [observation({ reasons: ['entry_total_mismatch'] })] },
    ],
    [
      'a manager that held it a quarter ago and has not reported since',
      { staleQuarters: ['2019-09-30' as QuarterEnd] },
    ],
    ['a purchase marked as disposed', traded({ code: 'P', acquiredDisposed: 'D' })],
    ['a sale of no shares', traded({ shares: '0' })],
    ['a sale without a price', traded({ pricePerShare: null })],
    ['a sale at a negative price', traded({ pricePerShare: '-10.00' })],
    [
      'an amendment that matches no original',
      { ownershipFilings: [form4({ number: 1, isAmendment: true })] },
    ],
  ] as const)('%s: partial', (_name, fields) => {
    expect(outcome(fields as Parameters<typeof briefInput>[0])).toBe('partial');
  });

  test.each([
    ['a trade in an equity swap', traded({ equitySwap: true })],
    ['a trade in another security', traded({ securityTitle: 'Series B Preferred Stock' })],
    [
      'a trade that was amended',
      {
        ownershipFilings: [
          form4({ number: 1, rows: [{ pricePerShare: null }] }),
          form4({ number: 2, isAmendment: true, filed: '2020-03-05' }),
        ],
      },
    ],
  ] as const)('%s: still complete', (_name, fields) => {
    expect(outcome(fields)).toBe('complete');
  });

  test('a manager that stopped reporting earlier: still complete', () => {
    expect(outcome({ staleQuarters: ['2014-12-31' as QuarterEnd] })).toBe('complete');
  });

  test('more changes than are shown: still complete', () => {
    expect(outcome({ observations: Array.from({ length: 20 }, () => observation()) })).toBe('complete');
  });

  test('an uncertain change that outweighs the clear one: uncertain', () => {
    const uncertain = observation({ currentShares: 9_000n, reasons: ['split_suspected'] });
    expect(outcome({ observations: [observation(), uncertain] })).toBe('uncertain');
  });
});
