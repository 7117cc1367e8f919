import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownMark } from '../../packages/embedded/process.ts';
import { UsageError } from '../../src/errors.ts';
import { ownFolder } from '../../test/own-folder.ts';
import { stopLeftBehind } from './processes.ts';

const home = ownFolder('demo');

const leave = (demo: object): void => {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'demo-processes.json'), JSON.stringify({ demo, processes: [] }));
};

test('a demo refuses a home over which another one runs, and says what to do', async () => {
  leave(ownMark());
  await expect(stopLeftBehind(home)).rejects.toThrow(UsageError);
  await expect(stopLeftBehind(home)).rejects.toThrow(
    `A demo runs over ${home} (process ${process.pid}). Stop it, or set TIDEMARK_HOME to another folder.`,
  );
});

test('what a killed demo left is no reason', async () => {
  leave({ ...ownMark(), start: 'another process of this number' });
  await stopLeftBehind(home);
  await stopLeftBehind(home);
});
