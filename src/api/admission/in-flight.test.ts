import { expect, test } from 'vitest';
import { countHeld } from './in-flight.ts';

test('when all places are taken, the longest wait of the organisation that has most ends for a new one', () => {
  const held = countHeld(3, 4);
  const [first, second, other, third] = ['a', 'a', 'b', 'a'].map((organization) =>
    held.enter(organization, 'x'),
  );
  expect(held.enter('a', 'y')).toBeNull();
  const added = held.enter('c', 'z');
  expect([first, second, other, third, added].map((place) => place?.ended.aborted)).toEqual([
    ...[true, false, false, false],
    false,
  ]);
  second?.leave();
  second?.leave();
  expect(held.enter('d', 'z')).not.toBeNull();
  expect([third, other].map((place) => place?.ended.aborted)).toEqual([false, false]);
});

test('an organisation holds so many calls that wait for events, and an address four times as many', () => {
  const held = countHeld(2);
  const entered = (organization: string, address: string) => held.enter(organization, address) !== null;
  expect([1, 2, 3].map(() => entered('a', 'x'))).toEqual([true, true, false]);
  const others = ['b', 'b', 'c', 'c', 'd', 'd', 'e'].map((organization) => entered(organization, 'x'));
  expect(others).toEqual([true, true, true, true, true, true, false]);
  expect(entered('e', 'y')).toBe(true);
});
