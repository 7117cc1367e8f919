import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { openService, type Service } from '../credits/service.ts';
import { countsOf, percentile } from '../harness/caller.ts';
import { memoryMb } from '../harness/memory.ts';
import { longScenario, type Run } from '../harness/scenario.ts';
import { customers } from './flood.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
/** A quarter of a MB: a system takes some fifteen of them for a connection that nobody reads. */
const LARGE = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const CUSTOMERS = 8;
const GRANT = 100_000_000;
/** Answers that slow readers of one address may leave waiting. */
const MAX_UNSENT = 64;
const MAX_MB_MORE = 200;
const SERVED_SHARE = 0.9;
/** Headers may take 10 s and a body 15 s; both are looked at every 5 s. */
const HEADERS_S = 15;
const BODY_S = 20;
/** A busy machine is late to look. */
const LATE_S = 10;

let service: Service;
let keys: string[] = [];
beforeAll(async () => {
  service = await openService({
    RATE_LIMIT_PER_SECOND: '0',
    // All connections of a test have one address: its limit would end most of them before any other.
    MAX_CONNECTIONS_PER_ADDRESS: '10000',
  });
  await service.untilUp();
  keys = await Promise.all(Array.from({ length: CUSTOMERS }, async () => (await service.newKey(GRANT)).key));
});
afterAll(() => service.close());

/** A bare connection. Errors are what the server does to it. */
async function dial(): Promise<Socket> {
  const socket = connect(Number(new URL(service.apis[0]?.origin ?? '').port), '127.0.0.1');
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

const dialAll = (count: number): Promise<Socket[]> => Promise.all(Array.from({ length: count }, dial));
const openOf = (sockets: readonly Socket[]): number => sockets.filter(({ closed }) => !closed).length;

/** Customers at the same address are served while something happens, or told to come back; notes how fast. */
async function othersServed(run: Run, ms: number): Promise<void> {
  const receipts = await customers(`${service.apis[0]?.origin}${BRIEF}`, keys, ms);
  run.measured({
    calls: receipts.length,
    'p50 ms': percentile(receipts, 0.5),
    'p99 ms': percentile(receipts, 0.99),
  });
  const { 200: served = 0, 503: late = 0, ...failed } = countsOf(receipts);
  run.measured({ 200: served, 503: late });
  expect(failed).toEqual({});
  expect(served).toBeGreaterThan(SERVED_SHARE * receipts.length);
}

/** A byte every five seconds on each of them, until all are closed. Returns the seconds. */
async function slowly(sockets: readonly Socket[], head: string): Promise<number> {
  const started = performance.now();
  for (const socket of sockets) {
    socket.resume();
    socket.write(head);
  }
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 5_000);
  await waitUntil(() => openOf(sockets) === 0, 60_000);
  clearInterval(drip);
  return (performance.now() - started) / 1_000;
}

longScenario('D01', 'headers that arrive byte by byte are closed, and others are served', async (run) => {
  const sockets = await dialAll(500);
  const head = 'GET /v1/funds HTTP/1.1\r\nX';
  const [seconds] = await Promise.all([slowly(sockets, head), othersServed(run, HEADERS_S * 1_000)]);
  run.measured({ connections: sockets.length, 'closed after s': Math.round(seconds) });
  expect(seconds).toBeLessThan(HEADERS_S + LATE_S);
});

longScenario('D02', 'bodies that arrive byte by byte are closed, and others are served', async (run) => {
  const sockets = await dialAll(500);
  const head = 'POST /connect/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6000\r\n\r\n';
  const [seconds] = await Promise.all([slowly(sockets, head), othersServed(run, BODY_S * 1_000)]);
  run.measured({ connections: sockets.length, 'closed after s': Math.round(seconds) });
  expect(seconds).toBeLessThan(BODY_S + LATE_S);
});

longScenario('D03', 'readers that do not read take nobody a place, and are closed', async (run) => {
  const pid = service.apis[0]?.pid() ?? 0;
  const before = memoryMb(pid);
  const sockets = await dialAll(1_100);
  for (const socket of sockets) {
    socket.pause();
    socket.write(LARGE.repeat(17));
  }
  sockets[0]?.write(LARGE.repeat(1_400));
  await othersServed(run, 45_000);
  const more = Math.round(memoryMb(pid) - before);
  // A socket learns that it was closed when it is read.
  for (const socket of sockets) socket.resume();
  await waitUntil(() => openOf(sockets) <= MAX_UNSENT, 30_000);
  run.measured({ readers: sockets.length, kept: openOf(sockets), 'MB more': more });
  expect(openOf(sockets)).toBeLessThanOrEqual(MAX_UNSENT);
  expect(more).toBeLessThan(MAX_MB_MORE);
  for (const socket of sockets) socket.destroy();
});

longScenario('D08', 'more silent connections than there are places take nobody a place', async (run) => {
  const sockets = await dialAll(4_500);
  for (const socket of sockets) socket.resume();
  await othersServed(run, 10_000);
  run.measured({ connections: sockets.length, 'still open': openOf(sockets) });
  for (const socket of sockets) socket.destroy();
});
