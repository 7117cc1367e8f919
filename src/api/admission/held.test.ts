import { expect, test } from 'vitest';
import { countHeld } from './held.ts';

test('an organisation holds so many calls that wait for events, and an address four times as many', () => {
  const held = countHeld(2);
  const entered = (organization: string, address: string) => held.enter(organization, address) !== null;
  expect([1, 2, 3].map(() => entered('a', 'x'))).toEqual([true, true, false]);
  const others = ['b', 'b', 'c', 'c', 'd', 'd', 'e'].map((organization) => entered(organization, 'x'));
  expect(others).toEqual([true, true, true, true, true, true, false]);
  expect(entered('e', 'y')).toBe(true);
});
