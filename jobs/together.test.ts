import { MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';
import { together } from './together.ts';

const BROKEN = new Error('broken');

async function unlessBroken(items: readonly string[]): Promise<number> {
  if (items.includes('broken')) throw BROKEN;
  return items.length;
}

test('what can be done together is done once', async () => {
  expect(await together(['a', 'b'], unlessBroken)).toEqual({ done: [2], failed: new Map() });
});

test('one that cannot be done leaves the others, also where it is alone', async () => {
  const failed = new Map([['broken', BROKEN]]);
  expect(await together(['a', 'broken', 'b'], unlessBroken)).toEqual({ done: [1, 1], failed });
  expect(await together(['broken'], unlessBroken)).toEqual({ done: [], failed });
});

test('an outage of the database is thrown, and counts against none', async () => {
  const outage = new MongoNetworkError('gone');
  const work = async (): Promise<never> => {
    throw outage;
  };
  await expect(together(['a'], work)).rejects.toBe(outage);
  await expect(together(['a', 'b'], work)).rejects.toBe(outage);
});
