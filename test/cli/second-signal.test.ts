import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openWorld } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

test('a second Ctrl-C ends a command at once that an EDGAR without an answer holds up', {
  tags: ['long'],
}, async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const world = await openWorld({ EDGAR_URL: url });
  onTestFinished(async () => {
    silent.closeAllConnections();
    silent.close();
    await world.close();
  });
  const running = spawn(process.execPath, [TIDEMARK, 'backfill', 'filings', '--cik', '320193'], {
    env: { ...process.env, ...world.env },
  });
  let said = '';
  running.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const ended = once(running, 'exit');
  await once(silent, 'request');
  // One that comes soon after the first is the same: npx passes it on.
  const again = setInterval(() => running.kill('SIGINT'), 100);
  const [code] = (await ended) as [number];
  clearInterval(again);
  expect(code).toBe(130);
  expect(said).toContain('Stopping. Ctrl-C again ends it at once.\nEnded at once.');
  expect(said).toContain('run the command again');
});
