import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPrecedence, openTurns } from './precedence.ts';

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

/** Work that notes when it starts and lasts until it is ended. */
function piece(started: string[], name: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<void> => {
    started.push(name);
    return ended;
  };
  return { work, end: () => end() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what wants to be alone waits for all before it, and all after it waits for that', async () => {
  const started: string[] = [];
  const pieces = new Map([...'abcde'].map((name) => [name, piece(started, name)]));
  const work = (name: string) => () => pieces.get(name)?.work() ?? Promise.reject(new Error(name));
  const { together, alone } = openTurns();
  void together(work('a'));
  void together(work('b'));
  void alone(work('c'));
  void alone(work('d'));
  void together(work('e'));
  const seen: string[] = [];
  for (const { end } of pieces.values()) {
    await settled();
    seen.push(started.join(''));
    end();
  }
  expect(seen).toEqual(['ab', 'ab', 'abc', 'abcd', 'abcde']);
});

test('what fails tells its caller and holds up nobody', async () => {
  const { together, alone } = openTurns();
  const broken = async (): Promise<void> => {
    throw new Error('broken');
  };
  await expect(alone(broken)).rejects.toThrow('broken');
  await expect(together(broken)).rejects.toThrow('broken');
  await expect(alone(async () => undefined)).resolves.toBeUndefined();
});
