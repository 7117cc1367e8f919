import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ownFolder } from '../../test/own-folder.ts';
import { withLock } from './lock.ts';
import { ownMark } from './process.ts';

const folder = ownFolder('lock', beforeEach);

test('a lock is held by one caller at a time', async () => {
  const path = join(folder, 'lock');
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((settle) => setImmediate(settle));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, () => withLock(path, 10_000, work)));
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('a lock is free again after its work failed', async () => {
  const path = join(folder, 'lock');
  await expect(withLock(path, 1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withLock(path, 1_000, async () => 'done')).toBe('done');
});

test.each([
  ['a process that ended', JSON.stringify({ pid: 2 ** 22 + 1, start: '1' })],
  ['an earlier process with the pid of a living one', JSON.stringify({ pid: process.pid, start: '1' })],
  ['no readable holder, because the machine stopped while it was written', ''],
])('a lock of %s is taken over', async (_whose, content) => {
  const path = join(folder, 'lock');
  writeFileSync(path, content);
  expect(await withLock(path, 1_000, async () => 'done')).toBe('done');
});

test('a lock of a living process is respected, and the error names the process', async () => {
  const path = join(folder, 'lock');
  writeFileSync(path, JSON.stringify(ownMark()));
  await expect(withLock(path, 100, async () => 'done')).rejects.toThrow(`process ${process.pid}`);
});
