import { expect, test } from 'vitest';
import { nameToType } from './last-key.ts';

test.each([
  ['its label', 'Night job', 'Night job'],
  ['its id without a label', '', 'k1'],
  ['its id for a label with two spaces, which a page shows as one', 'Night  job', 'k1'],
  ['its id for a label longer than the field', 'x'.repeat(61), 'k1'],
  ['its id for a label with an invisible character', 'Night\u200bjob', 'k1'],
])('a last key is revoked by typing %s', (_name, label, typed) => {
  expect(nameToType({ _id: 'k1', label })).toBe(typed);
});
