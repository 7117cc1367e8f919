import { Pool } from 'undici';
import type { Flooded } from './flood.ts';

/** Calls as fast as it can, or at a rate, until its input ends; then prints what was answered. */
const [url = '', key = '', connections = '1', rate = '0'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: Number(connections) });
const statuses: Record<string, number> = {};
let withoutRetryAfter = 0;

const stop = rate === '0' ? floodFast(Number(connections)) : floodEvenly(Number(rate));
process.stdin.resume();
process.stdin.once('end', async () => {
  stop();
  await pool.close();
  const flooded: Flooded = { statuses, withoutRetryAfter };
  process.stdout.write(JSON.stringify(flooded));
});

async function callOnce(): Promise<void> {
  const answer = await pool.request({ path: pathname, method: 'GET', headers });
  await answer.body.dump();
  statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
  if (answer.statusCode !== 200 && answer.headers['retry-after'] === undefined) withoutRetryAfter += 1;
}

/** Each connection calls again as soon as it has its answer. */
function floodFast(callers: number): () => void {
  let isOver = false;
  const again = async (): Promise<void> => {
    while (!isOver) await callOnce().catch(() => undefined);
  };
  for (let n = 0; n < callers; n += 1) void again();
  return () => {
    isOver = true;
  };
}

function floodEvenly(perSecond: number): () => void {
  const began = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    // What a busy machine was late for is not made up for: that would be a burst.
    for (let n = Math.min(due - made, 5); n > 0; n -= 1) void callOnce().catch(() => undefined);
    made = due;
  }, 1);
  return () => clearInterval(timer);
}
