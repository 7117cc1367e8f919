import autocannon from 'autocannon';
import type { Flooded } from './flood.ts';

/** Calls as fast as it can, or at a rate, until its input ends; then prints what was answered. */
const [url = '', key = '', connections = '1', rate = '0'] = process.argv.slice(2);
let withoutRetryAfter = 0;

type Head = { readonly statusCode: number; readonly headers: readonly string[] };

const run = autocannon(
  {
    url,
    connections: Number(connections),
    duration: 3_600,
    headers: { authorization: `Bearer ${key}` },
    ...(rate === '0' ? {} : { overallRate: Number(rate) }),
    setupClient: (client) => {
      client.on('headers', (head) => {
        const { statusCode, headers } = head as unknown as Head;
        const saysWhen = headers.some((name) => name.toLowerCase() === 'retry-after');
        if (statusCode !== 200 && !saysWhen) withoutRetryAfter += 1;
      });
    },
  },
  (_error, { statusCodeStats = {} }) => {
    const counted = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count ?? 0]);
    const flooded: Flooded = { statuses: Object.fromEntries(counted), withoutRetryAfter };
    process.stdout.write(JSON.stringify(flooded));
  },
);
process.stdin.once('end', () => (run as unknown as { stop: () => void }).stop()).resume();
