import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPLE, GOOGL, SPY, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Accession, Cusip } from '../ids.ts';
import { aggregatePositions, compareKeys } from './aggregate.ts';

const ACCESSION = '0000000001-24-000001' as Accession;
const LATER = '0000000001-24-000002' as Accession;
const aggregate = (...rows: InfoTableRow[]) =>
  aggregatePositions([{ accession: ACCESSION, scaleCents: 100n, filedScaleCents: 100n, rows }]);

describe('positions', () => {
  it('sum rows of one CUSIP over other managers, discretion, titles and spellings (rule 2.4)', () => {
    const { positions } = aggregate(
      sampleRow({ amount: 10n, value: 1n, otherManagers: '1', issuer: 'APPLE INC' }),
      sampleRow({ amount: 30n, value: 3n, otherManagers: '2', issuer: 'Apple Inc.', titleOfClass: 'CL A' }),
      sampleRow({ amount: 5n, value: 3n, discretion: 'DFND', issuer: 'APPLE COMPUTER' }),
    );
    expect(positions).toEqual([
      {
        cusip: APPLE,
        putCall: null,
        amountType: 'SH',
        issuer: 'Apple Inc.',
        titleOfClass: 'CL A',
        amount: 45n,
        valueCents: 700n,
        filedValueCents: 700n,
        accessions: [ACCESSION],
        rowsUsed: [{ accession: ACCESSION, rows: '1' }],
        reasons: [],
      },
    ]);
  });

  it('keep shares, principal, puts and calls of one CUSIP apart, in key order (rule 2.5)', () => {
    const { positions } = aggregate(
      sampleRow({ putCall: 'PUT' }),
      sampleRow({ cusip: GOOGL }),
      sampleRow({ putCall: 'CALL' }),
      sampleRow({ amountType: 'PRN' }),
      sampleRow(),
    );
    expect(positions.map(({ cusip, putCall, amountType }) => [cusip, putCall, amountType])).toEqual([
      [GOOGL, null, 'SH'],
      [APPLE, null, 'PRN'],
      [APPLE, null, 'SH'],
      [APPLE, 'CALL', 'SH'],
      [APPLE, 'PUT', 'SH'],
    ]);
  });

  it('keep the reason of a wrong check digit unless the official list has the security (rule 3.2)', () => {
    const rows = [sampleRow({ cusip: GOOGL, reasons: ['cusip_checksum_failed'] })];
    const sources = [{ accession: ACCESSION, scaleCents: 100n, filedScaleCents: 100n, rows }];
    const reasonsWith = (listed: ReadonlySet<Cusip>) =>
      aggregatePositions(sources, { listed }).positions.flatMap((position) => position.reasons);
    expect(reasonsWith(new Set([APPLE]))).toEqual(['cusip_checksum_failed']);
    expect(reasonsWith(new Set([GOOGL]))).toEqual([]);
  });

  it('keep rows that must not be compared, with a reason (rule 3.1)', () => {
    const { positions, reasons } = aggregate(
      sampleRow({ cusip: GOOGL, reasons: ['cusip_checksum_failed'] }),
      sampleRow({ amount: -5n, reasons: ['amount_negative'] }),
      sampleRow({ amount: 15n }),
      sampleRow({ cusip: null, cusipAsFiled: 'N/A', reasons: ['cusip_malformed'] }),
    );
    expect(positions.map(({ cusip, amount, reasons: own }) => [cusip, amount, own])).toEqual([
      [GOOGL, 20_000n, ['cusip_checksum_failed']],
      [APPLE, 10n, ['amount_negative']],
    ]);
    expect([...reasons].sort()).toEqual(['amount_negative', 'cusip_checksum_failed', 'cusip_malformed']);
  });

  it('read the option class number of an issuer as an option, not as a typing error (rule 3.2)', () => {
    const putClass = '78462F953' as Cusip;
    const reasons = ['cusip_checksum_failed'] as const;
    const option = aggregate(sampleRow({ cusip: putClass, putCall: 'PUT', reasons })).positions;
    expect(option[0]?.reasons).toEqual([]);
    const equity = aggregate(sampleRow({ cusip: putClass, reasons })).positions;
    expect(equity[0]?.reasons).toEqual(['cusip_checksum_failed']);
    const typo = aggregate(sampleRow({ cusip: '78462F104' as Cusip, putCall: 'PUT', reasons })).positions;
    expect(typo[0]?.reasons).toEqual(['cusip_checksum_failed']);
  });

  it('ignore placeholder rows, and do not compare the reserved CUSIP (rule 2.6)', () => {
    const none = sampleRow({ cusip: '000000000' as Cusip, amount: 0n, value: 0n });
    const unread = sampleRow({ cusip: null, amount: 0n, value: 0n });
    expect(aggregate(none, unread)).toEqual({ positions: [], reasons: [], mistyped: new Set() });
    const reserved = aggregate(sampleRow({ cusip: '000000000' as Cusip })).positions;
    expect(reserved[0]?.reasons).toEqual(['cusip_malformed']);
  });

  it('name each filing once, the newest last, and apply its own scale to each (rule 2.1)', () => {
    const { positions } = aggregatePositions([
      {
        accession: ACCESSION,
        scaleCents: 100_000n,
        filedScaleCents: 100_000n,
        rows: [sampleRow({ value: 2n }), sampleRow({ value: 1n })],
      },
      { accession: LATER, scaleCents: 100n, filedScaleCents: 100n, rows: [sampleRow({ value: 7n })] },
    ]);
    expect(positions[0]?.accessions).toEqual([ACCESSION, LATER]);
    expect(positions[0]?.valueCents).toBe(300_700n);
  });

  it('never lose a share or a cent of any table', () => {
    const row = fc.record({
      cusip: fc.constantFrom(APPLE, GOOGL, SPY),
      putCall: fc.constantFrom(null, 'PUT' as const, 'CALL' as const),
      amountType: fc.constantFrom('SH' as const, 'PRN' as const),
      amount: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 30n }),
      value: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (fields) => {
        const { positions } = aggregate(...fields.map(sampleRow));
        const total = (list: readonly { amount: bigint }[]) =>
          list.reduce((sum, one) => sum + one.amount, 0n);
        expect(total(positions)).toBe(total(fields));
        expect(positions.reduce((sum, one) => sum + one.valueCents, 0n)).toBe(
          fields.reduce((sum, one) => sum + one.value * 100n, 0n),
        );
        expect(positions.every((one, i) => i === 0 || compareKeys(positions[i - 1] ?? one, one) < 0)).toBe(
          true,
        );
      }),
    );
  });
});
