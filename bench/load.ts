/** Sends as many calls as it can for some seconds: by wrk, or by autocannon where wrk is missing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

export type Load = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** All connections are open before the first request, one second longer; autocannon does not know it. */
  readonly opensFirst?: boolean;
};

/** What came of it; times in milliseconds. `refused`: answers with a status from 400 on. */
export type Loaded = {
  readonly calls: number;
  readonly refused: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU of the generator, in microseconds; NaN where the system does not say. */
  readonly cpuMicros: number;
};

/** Throws when a call had no answer. */
export async function load(by: 'wrk' | 'autocannon', wanted: Load): Promise<Loaded> {
  return by === 'wrk' ? byWrk(wanted) : byAutocannon(wanted);
}

/** A generator in C takes a tenth of the CPU of one in JavaScript, which the servers then have. */
export async function generator(): Promise<'wrk' | 'autocannon'> {
  const wrk = spawn('wrk', ['--version'], { stdio: 'ignore' });
  return Promise.race([
    once(wrk, 'close').then(() => 'wrk' as const),
    once(wrk, 'error').then(() => 'autocannon' as const),
  ]);
}

const OPENS_FIRST = fileURLToPath(new URL('connections-first.lua', import.meta.url));

async function byWrk({ url, headers, connections, seconds, opensFirst }: Load): Promise<Loaded> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const before = childrenMicros();
  const args = ['-t1', `-c${connections}`, '--timeout', '30s', '--latency', ...given];
  if (opensFirst === true) args.push(`-d${seconds + 1}s`, '-s', OPENS_FIRST, url, '--', String(connections));
  else args.push(`-d${seconds}s`, url);
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await Promise.all([text(wrk.stdout), once(wrk, 'close')]);
  const found = (pattern: RegExp): string | undefined => pattern.exec(said)?.[1];
  if (found(/Socket errors: (.*)/) !== undefined) throw new Error(`wrk: ${said}`);
  const calls = Number(found(/(\d+) requests in/));
  return {
    calls,
    refused: Number(found(/Non-2xx or 3xx responses: (\d+)/) ?? 0),
    // Its own count has the second in which connections were opened.
    perSecond: opensFirst === true ? calls / seconds : Number(found(/Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(/^ +50% +(\S+)/m)),
    p99: milliseconds(found(/^ +99% +(\S+)/m)),
    cpuMicros: childrenMicros() - before,
  };
}

async function byAutocannon({ url, headers, connections, seconds }: Load): Promise<Loaded> {
  const before = process.cpuUsage();
  const result = await autocannon({ url, headers: { ...headers }, connections, duration: seconds });
  if (result.errors > 0) throw new Error(`${result.errors} calls had no answer`);
  const { user, system } = process.cpuUsage(before);
  const calls = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx'];
  return {
    calls,
    refused: result['4xx'] + result['5xx'],
    perSecond: calls / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMicros: user + system,
  };
}

const UNITS = { us: 0.001, ms: 1, s: 1_000 } as const;

function milliseconds(said: string | undefined): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s)$/.exec(said ?? '') ?? [];
  return Number(value) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN);
}

/** Linux counts in ticks of 10 ms. */
const TICK_MICROS = 10_000;

/** CPU of the processes that this one has started and that have ended. */
function childrenMicros(): number {
  try {
    const [, user, system] =
      /^.*\) (?:\S+ ){13}(\d+) (\d+) /.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
    return (Number(user) + Number(system)) * TICK_MICROS;
  } catch {
    return Number.NaN;
  }
}
