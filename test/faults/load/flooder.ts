import autocannon from 'autocannon';

/** Calls as fast as it can, or at a rate, until its input ends; then prints its answers by status. */
const [url = '', key = '', connections = '1', rate = '0'] = process.argv.slice(2);
const run = autocannon(
  {
    url,
    connections: Number(connections),
    duration: 3_600,
    headers: { authorization: `Bearer ${key}` },
    ...(rate === '0' ? {} : { overallRate: Number(rate) }),
  },
  (_error, { statusCodeStats = {} }) => {
    const counted = Object.entries(statusCodeStats).map(([status, { count }]) => [status, count]);
    process.stdout.write(JSON.stringify(Object.fromEntries(counted)));
  },
);
process.stdin.once('end', () => (run as unknown as { stop: () => void }).stop()).resume();
