import autocannon from 'autocannon';
import { Pool } from 'undici';
import type { Flooded } from './flood.ts';

/** Calls as fast as it can, or at a rate, until its input ends; then prints what was answered. */
const [url = '', key = '', connections = '1', rate = '0'] = process.argv.slice(2);
const headers = { authorization: `Bearer ${key}` };
const print = (flooded: Flooded): void => void process.stdout.write(JSON.stringify(flooded));
process.stdin.resume();

if (rate === '0') floodFast();
else floodEvenly(Number(rate));

type Head = { readonly statusCode: number; readonly headers: readonly string[] };

function floodFast(): void {
  let withoutRetryAfter = 0;
  const run = autocannon(
    {
      url,
      connections: Number(connections),
      duration: 3_600,
      headers,
      setupClient: (client) => {
        client.on('headers', (head) => {
          const { statusCode, headers: given } = head as unknown as Head;
          const saysWhen = given.some((name) => name.toLowerCase() === 'retry-after');
          if (statusCode !== 200 && !saysWhen) withoutRetryAfter += 1;
        });
      },
    },
    (_error, { statusCodeStats = {} }) => {
      const counted = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count ?? 0]);
      print({ statuses: Object.fromEntries(counted), withoutRetryAfter });
    },
  );
  process.stdin.once('end', () => (run as unknown as { stop: () => void }).stop());
}

/** Autocannon sends the calls of a second all at its beginning. */
function floodEvenly(perSecond: number): void {
  const statuses: Record<string, number> = {};
  let withoutRetryAfter = 0;
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: Number(connections) });
  const callOnce = async (): Promise<void> => {
    const answer = await pool.request({ path: pathname, method: 'GET', headers });
    await answer.body.dump();
    statuses[answer.statusCode] = (statuses[answer.statusCode] ?? 0) + 1;
    if (answer.statusCode !== 200 && answer.headers['retry-after'] === undefined) withoutRetryAfter += 1;
  };
  const began = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
    // What a busy machine was late for is not made up for: that would be a burst.
    for (let n = Math.min(due - made, 5); n > 0; n -= 1) void callOnce().catch(() => undefined);
    made = due;
  }, 1);
  process.stdin.once('end', async () => {
    clearInterval(timer);
    await pool.close();
    print({ statuses, withoutRetryAfter });
  });
}
