import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrecedence } from './precedence.ts';

const never = () => new Promise<void>(() => undefined);

test('history waits while a live filing is at work, and goes on when it has ended (rule 13.4)', async () => {
  const { during, giveWay } = openPrecedence();
  const order: string[] = [];
  const live = during('live', async () => {
    await wait(50);
    order.push('live');
  });
  await Promise.all([live, giveWay().then(() => order.push('history'))]);
  expect(order).toEqual(['live', 'history']);
});

test('work of other lanes holds nothing up, and a live one that fails is over', async () => {
  const { during, giveWay } = openPrecedence();
  for (const lane of ['reconcile', 'backfill', undefined] as const) void during(lane, never);
  await expect(during('live', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await giveWay();
});

test('live filings that never end do not stop history', async () => {
  const { during, giveWay } = openPrecedence();
  void during('live', never);
  await giveWay();
});
