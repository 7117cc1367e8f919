import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { waitUntil } from '../../../src/embedded/wait.ts';
import { countsOf, percentile } from '../harness/caller.ts';
import { longScenario, type Run } from '../harness/scenario.ts';
import { after, BRIEF, customers, openServed, type Served } from './served.ts';

const SCRIPT = 'GET /docs/scalar.js HTTP/1.1\r\nHost: localhost\r\n\r\n';
const CUSTOMERS = 8;
/** Answers that slow readers of one address may leave waiting. */
const MAX_UNSENT = 64;

let served: Served;
let keys: string[] = [];
beforeAll(async () => {
  served = await openServed({ RATE_LIMIT_BURST: '100000' });
  keys = await Promise.all(Array.from({ length: CUSTOMERS }, async () => (await served.newKey()).key));
});
afterAll(() => served.close());

const dialAll = (count: number): Promise<Socket[]> =>
  Promise.all(Array.from({ length: count }, () => served.dial()));
const openOf = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length;

/** Customers at the same address are all served while something happens; notes how fast. */
async function allServed(run: Run, ms: number): Promise<void> {
  const receipts = await customers(`${served.origin}${BRIEF}`, keys, after(ms));
  run.measured({
    calls: receipts.length,
    'p50 ms': percentile(receipts, 0.5),
    'p99 ms': percentile(receipts, 0.99),
  });
  expect(countsOf(receipts)).toEqual({ 200: receipts.length });
}

/** A byte every five seconds on each of them, until all are closed. */
async function slowly(sockets: readonly Socket[], head: string): Promise<number> {
  const started = performance.now();
  for (const socket of sockets) {
    socket.resume();
    socket.write(head);
  }
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 5_000);
  await waitUntil(() => openOf(sockets) === 0, 30_000);
  clearInterval(drip);
  return (performance.now() - started) / 1_000;
}

longScenario('D01', 'headers that arrive byte by byte are closed, and others are served', async (run) => {
  const sockets = await dialAll(500);
  const [seconds] = await Promise.all([
    slowly(sockets, 'GET /v1/funds HTTP/1.1\r\nX'),
    allServed(run, 15_000),
  ]);
  run.measured({ connections: sockets.length, 'closed after s': Math.round(seconds) });
  expect(seconds).toBeLessThan(20);
});

longScenario('D02', 'bodies that arrive byte by byte are closed, and others are served', async (run) => {
  const sockets = await dialAll(500);
  const head = 'POST /connect/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6000\r\n\r\n';
  const [seconds] = await Promise.all([slowly(sockets, head), allServed(run, 20_000)]);
  run.measured({ connections: sockets.length, 'closed after s': Math.round(seconds) });
  expect(seconds).toBeLessThan(25);
});

longScenario('D03', 'readers that do not read take nobody a place, and are closed', async (run) => {
  const before = served.memoryMb();
  const sockets = await dialAll(1_100);
  for (const socket of sockets) {
    socket.pause();
    socket.write(SCRIPT);
  }
  sockets[0]?.write(SCRIPT.repeat(1_400));
  await allServed(run, 45_000);
  const more = Math.round(served.memoryMb() - before);
  // A socket learns that it was closed when it is read.
  for (const socket of sockets) socket.resume();
  await waitUntil(() => openOf(sockets) <= MAX_UNSENT, 10_000);
  run.measured({ readers: sockets.length, kept: openOf(sockets), 'MB more': more });
  expect(openOf(sockets)).toBeLessThanOrEqual(MAX_UNSENT);
  expect(more).toBeLessThan(200);
  for (const socket of sockets) socket.destroy();
});

longScenario('D08', 'more silent connections than there are places take nobody a place', async (run) => {
  const sockets = await dialAll(4_500);
  for (const socket of sockets) socket.resume();
  await allServed(run, 10_000);
  run.measured({ connections: sockets.length, 'still open': openOf(sockets) });
  for (const socket of sockets) socket.destroy();
});
