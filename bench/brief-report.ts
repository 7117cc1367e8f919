/** The tables of `brief.ts`. */
import { cpus } from 'node:os';
import { type Result, report } from './goals.ts';
import type { Loaded } from './load.ts';
import { median } from './median.ts';

/** One slice; CPU in microseconds, of all its calls. */
export type Measured = Loaded & {
  readonly name: string;
  readonly serverMicros: number;
  readonly redisMicros: number;
};

type Run = { readonly connections: number; readonly bytes: number };

/** Against which peer, and how many of its calls a second are the goal, if any. */
const GOALS = [
  { name: 'tidemark', peer: 'express', goal: 1.3 },
  { name: 'tidemark', peer: 'node:http', goal: undefined },
] as const;

/** Whose p99 under overload is compared with its own at rest: the peers show what the machine and the generator do. */
const OVERLOADED = [
  { name: 'tidemark', goal: 10 },
  { name: 'express', goal: undefined },
  { name: 'node:http', goal: undefined },
] as const;

/**
 * Calls over connections that are open, and over new ones, which wait until libuv takes them: one in each turn of a loop
 * that answers all others in the same turn. Only the former are the server's, so they have the goal.
 */
const CONNECTIONS = [
  { what: 'over open connections', suffix: ', open connections', hasGoal: true },
  { what: 'over new connections', suffix: '', hasGoal: false },
] as const;

export function printReport(measured: readonly Measured[], run: Run): void {
  const names = [...new Set(measured.map(({ name }) => name))];
  const rows = new Map(names.map((name) => [name, row(measured.filter((one) => one.name === name))]));
  printRows(rows, run);
  report('brief', [...ratesOf(rows), ...delaysOf(rows)]);
}

type Rows = ReadonlyMap<string, ReturnType<typeof row>>;

function printRows(rows: Rows, { connections, bytes }: Run): void {
  const [model] = cpus();
  console.log(
    `\nNode ${process.version}, ${cpus().length} × ${model?.model.trim()}, wrk, ${connections} connections, body ${bytes} bytes, medians`,
  );
  console.log(`${''.padEnd(36)} calls/s   p50 ms   p99 ms   CPU µs a call: server   Redis   wrk   refused`);
  for (const [name, { perSecond, p50, p99, server, redis, load, refused }] of rows) {
    const numbers = [
      ...[perSecond.toFixed(0).padStart(7), p50.toFixed(2).padStart(8), p99.toFixed(1).padStart(8)],
      ...[server.toFixed(1).padStart(23), redis.toFixed(1).padStart(7), load.toFixed(1).padStart(5)],
      `${(refused * 100).toFixed(0).padStart(7)} %`,
    ];
    console.log(`${name.padEnd(36)} ${numbers.join(' ')}`);
  }
}

function ratesOf(rows: Rows): readonly Result[] {
  return GOALS.flatMap(({ name, peer, goal }) =>
    CONNECTIONS.flatMap(({ what, suffix, hasGoal }) => {
      const [own, other] = [rows.get(`${name}${suffix}`), rows.get(`${peer}${suffix}`)];
      if (own === undefined || other === undefined) return [];
      const cpu = (own.server + own.redis) / other.server;
      return [
        {
          what: `calls a second over ${peer}, ${what}`,
          value: own.perSecond / other.perSecond,
          ...(hasGoal && goal !== undefined ? { atLeast: goal } : {}),
        },
        { what: `CPU a call with Redis over ${peer}, ${what}`, value: cpu },
      ];
    }),
  );
}

function delaysOf(rows: Rows): readonly Result[] {
  return OVERLOADED.flatMap(({ name, goal }) =>
    CONNECTIONS.flatMap(({ what, suffix, hasGoal }) => {
      const [calm, flooded] = [rows.get(`${name}${suffix}`), rows.get(`${name}, overload${suffix}`)];
      if (calm === undefined || flooded === undefined) return [];
      return [
        {
          what: `p99 under 5 times the connections, ${what}, ${name}`,
          value: flooded.p99 / calm.p99,
          ...(hasGoal && goal !== undefined ? { atMost: goal } : {}),
        },
      ];
    }),
  );
}

function row(slices: readonly Measured[]) {
  const of = (pick: (one: Measured) => number): number => median(slices.map(pick));
  return {
    perSecond: of((one) => one.perSecond),
    p50: of((one) => one.p50),
    p99: of((one) => one.p99),
    server: of((one) => one.serverMicros / one.calls),
    redis: of((one) => one.redisMicros / one.calls),
    load: of((one) => one.cpuMicros / one.calls),
    refused: of((one) => one.refused / one.calls),
  };
}
