import { expect, test } from 'vitest';
import { observation } from '../brief/brief.sample.ts';
import type { Cik } from '../ids.ts';
import { institutionalLeg } from './institutional.ts';
import { type OptionObservation, optionsItem } from './options.ts';

const side = (
  putCall: 'PUT' | 'CALL',
  [previousShares, currentShares]: readonly [before: bigint, now: bigint],
  fields: Partial<OptionObservation> = {},
): OptionObservation => ({ ...observation({ previousShares, currentShares }), putCall, ...fields });
const leg = (...options: OptionObservation[]) => institutionalLeg([], options);

test('options of either end count their manager once, and clear changes are summed by side (rule 7.8)', () => {
  const both = '0000000007' as Cik;
  const { options } = leg(
    side('PUT', [1_000_000n, 5_000_000n], { cik: both }),
    side('CALL', [300n, 0n], { cik: both }),
    side('CALL', [0n, 100n]),
    side('PUT', [50n, 50n]),
  );
  expect(optionsItem(options)).toEqual({
    managers: 3,
    put_underlying_delta: '4000000',
    call_underlying_delta: '-200',
  });
});

test('baselines and uncertain changes count their manager and move nothing; excluded ones do neither', () => {
  const { options } = leg(
    side('PUT', [0n, 900n], { comparable: false }),
    side('PUT', [100n, 900n], { reasons: ['split_suspected'] }),
    side('PUT', [0n, 900n], { reasons: ['amount_negative'] }),
    side('PUT', [900n, 0n], { comparable: false }),
  );
  expect(optionsItem(options)).toEqual({
    managers: 2,
    put_underlying_delta: '0',
    call_underlying_delta: '0',
  });
});

test('options are in no other figure of the leg', () => {
  const { options: _none, ...shares } = institutionalLeg([]);
  const { options: _some, ...beside } = leg(side('PUT', [1n, 500n]));
  expect(beside).toEqual(shares);
});
