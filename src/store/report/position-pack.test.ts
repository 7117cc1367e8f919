import { expect, it } from 'vitest';
import type { Cusip } from '../../domain/ids.ts';
import { type PackedPosition, packPosition, type StoredPosition, unpackPosition } from './position-pack.ts';

const POSITION: StoredPosition = {
  cusip: '037833100' as Cusip,
  issuer: 'APPLE INC',
  amount: 10n,
  valueCents: 2_000n,
  priorAmount: 5n,
  priorValueCents: 900n,
  reasons: ['split_adjusted'],
  filing: 0,
  rowsUsed: [{ filing: 0, rows: '1-3' }],
  restated: { factor: { numerator: 5n, denominator: 1n }, fromCusip: null, filedPriorAmount: 1n },
};

it('a position comes back as it was packed', () => {
  expect(unpackPosition(packPosition(POSITION))).toEqual(POSITION);
});

it('a position of an older version is refused by name', () => {
  const older = packPosition(POSITION).slice(0, 7) as unknown as PackedPosition;
  expect(() => unpackPosition(older)).toThrow(expect.objectContaining({ code: 'store_outdated' }));
});
