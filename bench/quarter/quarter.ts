/**
 * A full synthetic quarter after a quarter before it, from the SEC's tables to what the API shows: rows a
 * second, CPU over that of parsing alone, and the peak memory of each process. In the end nothing is pending,
 * readers ask for briefs, the operator's checks find nothing wrong, and some reports are restated.
 *
 *   npm run bench:quarter [-- --filers 8500 --rows 350 …]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { engineThatMade } from '../../packages/embedded/engine.ts';
import { readState } from '../../packages/embedded/state.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { openArchive } from '../../src/edgar/data-set/archive.ts';
import { readDataSet } from '../../src/edgar/data-set/filings.ts';
import { DATA_SETS } from '../../src/forms/index.ts';
import { type Home, withHome } from '../live/home.ts';
import { writeDataSets } from '../market/data-set.ts';
import { marketOf, writeReferences } from '../market/folder.ts';
import { SMALL, securitiesOf } from '../market/market.ts';
import type { Amended } from '../scale/amended.ts';
import { askForBriefs, checked, TIDEMARK } from './checks.ts';
import { type Used, usedBy, watchProcesses } from './processes.ts';
import { measureRestated } from './restated.ts';

/** EDGAR: 3 million rows a quarter. */
const FULL = { ...SMALL, filers: 8_500, rows: 350, tickers: 9_500 };
const NOTED_EVERY_MS = 60_000;

const { market } = marketOf(process.argv.slice(2), FULL);
const tickers = securitiesOf(market).flatMap(({ ticker }) => ticker ?? []);

await withHome(
  'quarter',
  (dir) => writeReferences(dir, market),
  async (home) => {
    const { dirs, filings, rows } = writeDataSets(join(home.folder, 'sets'), market);
    const parsing = await parse(dirs);
    console.error(`${filings} filings, ${rows} rows: parsed`);
    const imported = await watched(home, async (watch) => {
      const args = [TIDEMARK, 'backfill', '13f', '--file', ...dirs];
      const command = spawn(process.execPath, args, { env: home.env, stdio: ['ignore', 2, 2] });
      watch('import', command.pid);
      const [code] = await once(command, 'exit');
      if (code !== 0) throw new Error(`the import ended with ${code}`);
    });
    console.log(
      `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${engineThatMade(home.folder)} engine`,
    );
    const over = (imported.cpuMs / parsing.cpuMs).toFixed(1);
    console.table({
      parse: {
        s: seconds(parsing.wallMs),
        'rows/s': perSecond(rows, parsing.wallMs),
        'CPU s': seconds(parsing.cpuMs),
      },
      ...table('import', imported, rows),
    });
    console.log(`CPU of the import over that of parsing: ${over}`);
    const followed = await watched(home, async (watch, totals) => {
      watch('worker', home.start('work'));
      watch('clock', home.start('schedule'));
      const noting = setInterval(() => noteProgress(home, totals()), NOTED_EVERY_MS);
      await home.untilDone().finally(() => clearInterval(noting));
    });
    console.table(table('worker', followed, rows));
    let asked = {};
    const reading = await watched(home, async (watch) => {
      watch('api', home.start('serve'));
      await home.listens('serve');
      asked = await askForBriefs(home, tickers);
      await home.untilDone();
    });
    console.table({ 'first readers': { ...asked, ...peaksOf(reading.used) } });
    console.table({ checks: await checked(home) });
    await home.stop();
    printRestated(await measureRestated(home, market));
  },
);

function printRestated({ rows, diffMs, allMs, stages }: Amended): void {
  const ms = Object.fromEntries([...stages].map(([stage, spent]) => [`${stage} ms`, Math.round(spent)]));
  console.table({
    'a restated report': { rows: Math.round(rows), 'own parse and diff ms': Math.round(diffMs), ...ms },
  });
  console.log(
    `CPU of a restated report over that of its own parse and diff: ${(allMs / diffMs).toFixed(1)} (goal 10)`,
  );
}

/** Reads every row of the tables, in this process alone. */
async function parse(dirs: readonly string[]) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const format = DATA_SETS['13f'];
  for (const dir of dirs) {
    const archive = await openArchive(dir);
    const set = await readDataSet(archive, format);
    for await (const filings of set.units()) for (const filing of filings) format.read(filing, set.columns);
    await archive.close();
  }
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - wall, cpuMs: (user + system) / 1_000 };
}

/** What is left, and what was used so far: a run of hours may be stopped by hand. */
async function noteProgress({ db }: Home, used: ReadonlyMap<string, Used>): Promise<void> {
  const { pending_reports, pending_peers, pending_briefs, pending_search, leaderboard_due, briefs } =
    await pipelineProgress(db);
  const left = { pending_reports, pending_peers, pending_briefs, pending_search, leaderboard_due, briefs };
  console.error(JSON.stringify({ ...left, ...peaksOf(used) }));
}

type Watch = (name: string, pid: number | undefined) => void;
type Watched = { readonly wallMs: number; readonly cpuMs: number; readonly used: ReadonlyMap<string, Used> };

type Watching = (watch: Watch, totals: () => ReadonlyMap<string, Used>) => Promise<void>;

async function watched({ folder }: Home, work: Watching): Promise<Watched> {
  const started = performance.now();
  const database = readState(folder).mongo?.pid ?? 0;
  const before = usedBy(database)?.cpuMs ?? 0;
  const roots = new Map([['database', database]]);
  const watch = watchProcesses(roots);
  await work((name, pid) => roots.set(name, pid ?? 0), watch.totals);
  const used = watch.stop();
  const cpuMs = [...used.values()].reduce((sum, one) => sum + one.cpuMs, -before);
  return { wallMs: performance.now() - started, cpuMs, used };
}

function table(name: string, { wallMs, cpuMs, used }: Watched, rows: number) {
  return {
    [name]: {
      s: seconds(wallMs),
      'rows/s': perSecond(rows, wallMs),
      'CPU s': seconds(cpuMs),
      ...peaksOf(used),
    },
  };
}

function peaksOf(used: ReadonlyMap<string, Used>): Record<string, number> {
  return Object.fromEntries([...used].map(([name, { peakMb }]) => [`${name} MB`, Math.round(peakMb)]));
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function perSecond(rows: number, ms: number): number {
  return Math.round(rows / (ms / 1_000));
}
