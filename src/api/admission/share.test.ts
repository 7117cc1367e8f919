import { expect, test } from 'vitest';
import { countHeld } from './held.ts';
import { shareOf } from './share.ts';

test('the shares of all processes make up the bound, each is at least 1, and 0 stays unlimited', () => {
  expect([1, 2, 3, 100].map((processes) => shareOf(64, processes))).toEqual([64, 32, 22, 1]);
  expect(shareOf(0, 4)).toBe(0);
});

test('when all places are taken, the longest wait of the organisation that has most ends for a new one', () => {
  const held = countHeld(3, 1, 4);
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

test('of the calls that wait for events, one of four processes holds a fourth', () => {
  const held = countHeld(8, 4);
  const entered = (organization: string, address: string) => held.enter(organization, address) !== null;
  expect([1, 2, 3].map(() => entered('a', 'x'))).toEqual([true, true, false]);
  const others = ['b', 'b', 'c', 'c', 'd', 'd', 'e'].map((organization) => entered(organization, 'x'));
  expect(others).toEqual([true, true, true, true, true, true, false]);
  expect(entered('e', 'y')).toBe(true);
});
