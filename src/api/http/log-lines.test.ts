import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { noteForwarded } from './log-lines.ts';

test.each([
  [0, 1],
  [1, 0],
])('with %i trusted proxies, requests that came through one are warned of %i times', (hops, times) => {
  const lines: unknown[] = [];
  const note = noteForwarded({ warn: (...line: unknown[]) => lines.push(line) }, hops);
  const [direct, forwarded] = [new IncomingMessage(new Socket()), new IncomingMessage(new Socket())];
  forwarded.headers['x-forwarded-for'] = '203.0.113.7';
  for (const req of [direct, forwarded, forwarded]) note(req);
  expect(lines).toHaveLength(times);
});
