import { expect, test } from 'vitest';
import type { Corroboration, Insiders, Institutional } from '../wire/brief.ts';
import { corroborate } from './corroboration.ts';

const INSIDERS: Insiders['stance'][] = ['net_buying', 'net_selling', 'mixed', 'none_found', 'not_available'];
/** Rule 8.5, one row per institutional stance, columns in the order of INSIDERS. */
const TABLE: Record<Institutional['stance'], Corroboration[]> = {
  net_increases: ['supports', 'contradicts', 'mixed', 'not_comparable', 'not_comparable'],
  net_decreases: ['contradicts', 'supports', 'mixed', 'not_comparable', 'not_comparable'],
  mixed: ['mixed', 'mixed', 'mixed', 'mixed', 'mixed'],
  unchanged: ['not_comparable', 'not_comparable', 'mixed', 'not_comparable', 'not_comparable'],
  none_found: ['not_comparable', 'not_comparable', 'mixed', 'not_comparable', 'not_comparable'],
  not_determined: ['not_comparable', 'not_comparable', 'mixed', 'not_comparable', 'not_comparable'],
};

const rows = (Object.keys(TABLE) as Institutional['stance'][]).flatMap((institutional) =>
  INSIDERS.map((insiders, column) => [institutional, insiders, TABLE[institutional][column]] as const),
);

test.each(rows)('%s with %s is %s', (institutional, insiders, expected) => {
  expect(corroborate(institutional, insiders)).toBe(expected);
});
