import { setImmediate as breathe } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Deadline, openTurns } from './in-flight.ts';

const NEVER: Deadline = { isOver: false };

/** Work that ends when the test says so, and the log of what began. */
function stage(bounds: { readonly perOrganization: number; readonly all: number }) {
  const turns = openTurns(bounds);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (org: string, name: string, deadline: Deadline = NEVER): void => {
    void turns.run(org, deadline, () => {
      began.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await breathe();
  };
  return { began, ask, end };
}

test('an organisation with all its turns taken waits, and another one does not', () => {
  const { began, ask } = stage({ perOrganization: 2, all: 10 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask('a', name);
  ask('b', 'b1');
  expect(began).toEqual(['a1', 'a2', 'b1']);
});

test('with all places taken, the organisation with the fewest at work is next, then the one that waits longest', async () => {
  const { began, ask, end } = stage({ perOrganization: 4, all: 4 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('a', name);
  for (const name of ['b1', 'b2', 'b3']) ask('b', name);
  ask('c', 'c1');
  expect(began).toEqual(['a1', 'a2', 'a3', 'a4']);
  for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name);
  expect(began.slice(4)).toEqual(['b1', 'c1', 'a5', 'b2']);
});

test('a call whose deadline passed before its turn never works, and takes nobody a turn', async () => {
  const { began, ask, end } = stage({ perOrganization: 1, all: 10 });
  const late = { isOver: false };
  ask('a', 'a1');
  for (const name of ['a2', 'a3']) ask('a', name, late);
  ask('a', 'a4');
  late.isOver = true;
  await end('a1');
  expect(began).toEqual(['a1', 'a4']);
});

test('work that is late keeps its turn until it ends, and failed work gives it back', async () => {
  const turns = openTurns({ perOrganization: 1, all: 1 });
  const failed = turns.run('a', NEVER, () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  expect(await turns.run('b', NEVER, async () => 'yes')).toBe('yes');
});
