import { expect, test } from 'vitest';
import { APPLE, sampleRow } from '../../domain/filing/filing.sample.ts';
import type { Accession } from '../../domain/ids.ts';
import { unpack } from '../mongo/pack.ts';
import { rowsToStore } from './rows.ts';

test('a row is stored as its columns in the order of all releases, amounts as text', () => {
  const row = sampleRow({
    ...{ row: 7, issuer: 'APPLE INC', titleOfClass: 'COM', cusipAsFiled: '37833100', cusip: APPLE },
    ...{ value: 10n, amount: 2n ** 60n, amountType: 'PRN', putCall: 'CALL', discretion: 'SOLE' },
    ...{ otherManagers: '1,2', votingSole: 3n, votingShared: 0n, votingNone: -4n },
    reasons: ['amount_negative'],
  });
  const table = { accession: '0001067983-18-000001' as Accession, source: 'parser|bytes' };
  const { docs, stored } = rowsToStore(table, [row]);
  expect(stored).toEqual({ source: 'parser|bytes', pages: 1, count: 1 });
  expect(docs.map(({ _id, rows }) => [_id, unpack(rows)])).toEqual([
    [
      '0001067983-18-000001|parser|bytes|0000',
      [
        [
          ...[7, 'APPLE INC', 'COM', '37833100', '037833100', '10', '1152921504606846976', 'PRN', 'CALL'],
          ...['SOLE', '1,2', '3', '0', '-4', ['amount_negative']],
        ],
      ],
    ],
  ]);
});
