import { expect, test } from 'vitest';
import { openSlots } from './slots.ts';

test('runs so many at once, the others in the order of arrival, and goes on after a failure', async () => {
  const slots = openSlots(2);
  const log: string[] = [];
  let running = 0;
  const work = (name: string) => async (): Promise<string> => {
    running += 1;
    expect(running).toBeLessThanOrEqual(2);
    log.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (name === 'b') throw new Error(name);
    return name;
  };
  const names = ['a', 'b', 'c', 'd', 'e'];
  const settled = await Promise.allSettled(names.map((name) => slots.run(work(name))));
  expect(settled.map(({ status }) => status)).toEqual(
    names.map((name) => (name === 'b' ? 'rejected' : 'fulfilled')),
  );
  expect(log).toEqual(names);
});
