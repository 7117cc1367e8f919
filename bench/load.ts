/** Sends as many calls as wrk can for some seconds: a generator in C leaves the servers their CPU. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type Load = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** All connections are open before the first request, one second longer. */
  readonly opensFirst?: boolean;
  /** A script of wrk and its arguments. */
  readonly script?: readonly [file: string, ...args: string[]];
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

const OPENS_FIRST = fileURLToPath(new URL('connections-first.lua', import.meta.url));

/** Throws when a call had no answer, or wrk is not installed (Debian: `apt-get install wrk`). */
export async function load({
  url,
  headers,
  connections,
  seconds,
  opensFirst,
  script,
}: Load): Promise<Loaded> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const before = childrenMicros();
  const args = ['-t1', `-c${connections}`, '--timeout', '30s', '--latency', ...given];
  if (opensFirst === true) args.push(`-d${seconds + 1}s`, '-s', OPENS_FIRST, url, '--', String(connections));
  else if (script !== undefined) args.push(`-d${seconds}s`, '-s', script[0], url, '--', ...script.slice(1));
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
