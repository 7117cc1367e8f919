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

const OUTDATED = '2019-09-30' as QuarterEnd;
const doubted = (shares: bigint) =>
  observation({ previousShares: 1_000n, currentShares: 1_000n + shares, reasons: ['split_suspected'] });
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
    ['no report for the due quarter', { corpus: corpus({ latestReportedQuarterEnd: OUTDATED }) }],
    ['unread days of the Form 4 window', { corpus: corpus({ indexedThrough: null }) }],
    ['an unknown issuer', { resolution: resolution({ issuerCik: null }) }],
    ['a later mapping', { resolution: resolution({ reasons: ['mapping_later_source'] }) }],
    ['a baseline', { observations: [observation(), observation({ comparable: false })] }],
    ['uncertain changes of 5 % of all', { observations: [observation(), doubted(53n)] }],
    [
      'the only report without one for the quarter before',
      { observations: [observation({ comparable: false })] },
    ],
    [
      'an excluded observation',
      { observations: [observation(), observation({ reasons: ['amount_negative'] })] },
    ],
    [
      'a report that is incomplete by its own account',
      { observations: [observation({ reasons: ['entry_total_mismatch'] })] },
    ],
    ['a manager that held it a quarter ago and has not reported since', { staleQuarters: [OUTDATED] }],
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

  test.each([
    ['a corpus that is a selection', { corpus: corpus({ sourceComplete: false }) }],
    ['filings that could not be read', { corpus: corpus({ quarantined: { thirteenF: 1, form4: 1 } }) }],
    ['uncertain changes of less than 5 % of all', { observations: [observation(), doubted(52n)] }],
    [
      'a small baseline',
      { observations: [observation(), observation({ currentShares: 100n, comparable: false })] },
    ],
    [
      'one late manager among many',
      { observations: Array.from({ length: 20 }, () => observation()), staleQuarters: [OUTDATED] },
    ],
    [
      'one trade without a price among many',
      {
        ownershipFilings: [
          form4({ number: 1, rows: [{ pricePerShare: null }, ...Array.from({ length: 20 }, () => ({}))] }),
        ],
      },
    ],
  ] as const)('%s: still complete', (_name, fields) => {
    expect(outcome(fields as Parameters<typeof briefInput>[0])).toBe('complete');
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
