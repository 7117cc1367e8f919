/**
 * How the ingest of a synthetic market grows with worker processes: filings a second, CPU of each process and CPU a
 * filing with 1, 2 and 4 of `tidemark work`, each over a home of its own. Services, EDGAR and clock share the cores, so
 * the throughput is only compared with what the cores allow; CPU a filing says what several workers cost each other.
 * Each worker warms up its own code, some 7 s of CPU: a small market shows little else.
 *
 *   npm run bench:workers [-- --filers 40 --rows 60 …]
 */
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../../jobs/worker/open.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { engineThatMade } from '../../packages/embedded/engine.ts';
import { readState } from '../../packages/embedded/state.ts';
import { QUEUES } from '../../queues/index.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { type Result, report } from '../goals.ts';
import { type Home, withHome } from '../live/home.ts';
import { marketOf, writeMarket } from '../market/folder.ts';
import { type Market, SMALL } from '../market/market.ts';
import { type Used, watchProcesses } from '../quarter/processes.ts';
import { AS_OF } from '../scale/loaded.ts';

const SIZE: Market = {
  ...{ ...SMALL, filers: 40, rows: 60, securities: 500, tickers: 60, form4PerYear: 40, form4Years: 2 },
};
const COUNTS = [1, 2, 4];
const LOOK_MS = 250;
const EVERYTHING = requireIsoDate('1993-01-01');

type Ingested = {
  readonly workers: number;
  readonly filings: number;
  readonly s: number;
  readonly cpuMs: number;
  readonly used: Readonly<Record<string, number>>;
};

const { market } = marketOf(process.argv.slice(2), SIZE);
const cores = availableParallelism();
let engine: string | undefined;
const runs: Ingested[] = [];
for (const workers of COUNTS) {
  runs.push(await ingestWith(workers));
  console.error(`${workers} workers: done`);
}
const [one, ...others] = runs as [Ingested, ...Ingested[]];
console.log(`${cpus()[0]?.model}, ${cores} cores, Node ${process.version}, ${engine} engine`);
console.table(
  runs.map(({ workers, filings, s, cpuMs, used }) => ({
    workers,
    filings,
    's until compared': round(s),
    'filings/s': round(filings / s),
    'CPU ms a filing': round(cpuMs / filings),
    ...used,
  })),
);
report('workers', others.flatMap(growthOf));

function growthOf(run: Ingested): Result[] {
  const { workers } = run;
  // A core for the database and one for EDGAR, the clock and this process.
  const usable = Math.max(1, Math.min(workers, cores - 2));
  const speed = rateOf(run) / rateOf(one);
  const linear = { what: `${workers} workers: filings a second over 1 worker`, value: speed };
  return [
    usable < workers ? linear : { ...linear, atLeast: 0.8 * workers },
    {
      what: `${workers} workers: CPU a filing over 1 worker`,
      value: costOf(run) / costOf(one),
      atMost: 1.25,
    },
  ];
}

function rateOf({ filings, s }: Ingested): number {
  return filings / s;
}

function costOf({ filings, cpuMs }: Ingested): number {
  return cpuMs / filings;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

async function ingestWith(workers: number): Promise<Ingested> {
  let filings = 0;
  return withHome(
    'workers',
    (dir) => {
      filings = writeMarket(dir, market).filings;
    },
    async (home) => {
      const queue = await openQueue(home.config, home.services);
      const roots = new Map([['database', readState(home.folder).mongo?.pid ?? 0]]);
      for (let n = 1; n <= workers; n += 1) roots.set(`worker ${n}`, home.startAs(`work-${n}`, 'work') ?? 0);
      while ((await fewest(queue.producer)) < workers) await sleep(LOOK_MS);
      const watch = watchProcesses(roots);
      // Their start is no part of the ingest.
      const before = watch.totals();
      const started = performance.now();
      home.start('schedule');
      await queue.producer.enqueue(QUEUES.backfill, { slot: 1, from: EVERYTHING, through: AS_OF });
      await untilCompared(home, filings);
      const s = (performance.now() - started) / 1_000;
      const used = spentSince(before, watch.stop());
      await queue.close();
      engine = engineThatMade(home.folder);
      const cpuMs = Object.values(used).reduce((sum, ms) => sum + ms, 0);
      const shown = Object.entries(used).map(([name, ms]) => [`${name} s`, round(ms / 1_000)]);
      return { workers, filings, s, cpuMs, used: Object.fromEntries(shown) };
    },
  );
}

/** Workers of the queue that has fewest, of one queue for each process that `work` starts. */
async function fewest({ workers }: Producer): Promise<number> {
  const queues = [QUEUES.parse, QUEUES.peers, QUEUES.leaderboard];
  return Math.min(...(await Promise.all(queues.map(({ name }) => workers(name)))));
}

/** Every filing is parsed and numbered, and reports and peers have settled. */
async function untilCompared({ db }: Home, filings: number): Promise<void> {
  for (;;) {
    const { parsed, pending_events, pending_reports, pending_peers, pending_issuers } =
      await pipelineProgress(db);
    const pending = pending_events + pending_reports + pending_peers + pending_issuers;
    if (parsed >= filings && pending === 0) return;
    await sleep(LOOK_MS);
  }
}

function spentSince(before: ReadonlyMap<string, Used>, after: ReadonlyMap<string, Used>) {
  return Object.fromEntries(
    [...after].map(([name, { cpuMs }]) => [name, cpuMs - (before.get(name)?.cpuMs ?? 0)]),
  );
}
