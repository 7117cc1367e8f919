/**
 * The peers of a quarter (`jobs/derive.ts`): synthetic managers with reports of two adjacent quarters,
 * where every two hundredth security is split. Measures the first computation of a process, which reads
 * every report; one more after one report changed; a second look without changes; and the memory of the
 * columns.
 *
 *   npm run bench:peers [-- MANAGERS ROWS]
 */
import { cpus } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Db } from 'mongodb';
import { refreshPeers } from '../src/derive/peers/writer.ts';
import { sampleFiling, sampleRow } from '../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../src/domain/filing/filing.ts';
import { type Cusip, parseCusip, type QuarterEnd, requireCik, requireIsoDate } from '../src/domain/ids.ts';
import { quarterEndOf } from '../src/domain/quarter.ts';
import { foldReport } from '../src/domain/report/fold.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { publishAsOf } from '../src/store/filing/settings.ts';
import { filedDoc, filedReport, insertFiled, packFiled } from '../src/store/report/filed-reports.ts';
import { withBenchDatabase } from './database.ts';

const [MANAGERS = 500, ROWS = 500] = process.argv.slice(2).map(Number);
const SECURITIES = ROWS * 8;
const PRIOR_QUARTER = quarterEndOf(2023, 2);
const QUARTER = quarterEndOf(2023, 3);
const SPLIT_EVERY = 200;

await withBenchDatabase('peers', async (db) => {
  await publishAsOf(db, requireIsoDate('2023-11-30'));
  await measure(db);
});

async function measure(db: Db): Promise<void> {
  const fill = await timed(() => seed(db));
  const before = arrayBytes();
  const peak = watchMemory();
  const first = await timed(() => refreshPeers(db, QUARTER, { version: 1, at: '' }));
  const megabytes = peak();
  const columns = arrayBytes() - before;
  await store(db, 1, QUARTER, ROWS - 1);
  const again = await timed(() => refreshPeers(db, QUARTER, { version: 2, at: '' }));
  const second = await timed(() => refreshPeers(db, QUARTER, { version: 3, at: '' }));
  const rows = 2 * MANAGERS * ROWS;
  const each = ({ spent }: { readonly spent: Spent }) => ({
    ...spent,
    'CPU µs a row': Math.round((spent['CPU ms'] / rows) * 100_000) / 100,
  });
  const cpu = cpus()[0]?.model ?? 'unknown';
  console.log(`${MANAGERS} managers of ${ROWS} rows in two quarters; ${cpu}, Node ${process.version}`);
  console.table([
    { step: 'write the reports as filed', ...each(fill) },
    { step: `first computation: ${first.answer.kind}`, ...each(first), 'peak MB': megabytes },
    { step: `one report changed: ${again.answer.kind}`, ...each(again) },
    { step: `second look: ${second.answer.kind}`, ...each(second) },
  ]);
  console.log(`columns: ${Math.round(columns / rows)} bytes a row`);
}

/** Columns are outside of the heap. Without a collection it would count what the computation left behind. */
function arrayBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

type Spent = { readonly ms: number; readonly 'CPU ms': number };

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; spent: Spent }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const answer = await work();
  const { user, system } = process.cpuUsage(cpu);
  const ms = Math.round(performance.now() - start);
  return { answer, spent: { ms, 'CPU ms': Math.round((user + system) / 1_000) } };
}

/** Answers the most that the process took, in megabytes. */
function watchMemory(): () => number {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 50);
  return () => {
    look();
    clearInterval(timer);
    return Math.round(most / 2 ** 20);
  };
}

async function seed(db: Db): Promise<void> {
  for (let manager = 1; manager <= MANAGERS; manager += 1) {
    for (const quarterEnd of [PRIOR_QUARTER, QUARTER]) await store(db, manager, quarterEnd, ROWS);
  }
}

/** Stores the report as filed, and of its document what the computation reads. */
async function store(db: Db, manager: number, quarterEnd: QuarterEnd, rows: number): Promise<void> {
  const report = reportOf(manager, quarterEnd, rows);
  if (report === null) throw new Error('a report of rows is a report');
  const { cik } = report;
  const packed = packFiled(filedReport(report));
  await insertFiled(db, [filedDoc({ cik, quarterEnd }, packed)]);
  const fields = { cik, quarterEnd, holdingsCount: rows, filed: { digest: packed.digest } };
  const reports = db.collection<{ _id: string }>('reports');
  await reports.updateOne({ _id: reportId({ cik, quarterEnd }) }, { $set: fields }, { upsert: true });
}

function reportOf(manager: number, quarterEnd: QuarterEnd, count: number) {
  const cik = requireCik(String(manager).padStart(10, '0'));
  const isNow = quarterEnd === QUARTER;
  const filedDate = isNow ? '2023-11-14' : '2023-08-14';
  const accession = `${cik}-23-00000${isNow ? 2 : 1}`;
  const rows = Array.from({ length: count }, (_, at) => rowOf(manager, at, isNow));
  return foldReport([sampleFiling({ cik, quarterEnd, filedDate, accession, rows })]);
}

/** Popular securities and rare ones, as real reports have them. */
function rowOf(manager: number, at: number, isNow: boolean): InfoTableRow {
  const security = at < ROWS / 2 ? at : (manager * 7_919 + at * 31) % SECURITIES;
  const split = isNow && security % SPLIT_EVERY === 0 ? 4 : 1;
  const shares = 1_000 + ((manager * 31 + security * 17) % 5_000);
  const price = 10 + (security % 400);
  return sampleRow({
    row: at + 1,
    cusip: cusipOf(security),
    issuer: `ISSUER ${security} INC`,
    amount: BigInt(shares * split),
    value: BigInt(Math.round((shares * split * price) / split)),
  });
}

function cusipOf(security: number): Cusip {
  const cusip = parseCusip(`S${String(security).padStart(6, '0')}00`);
  if (cusip === null) throw new Error('not a CUSIP');
  return cusip;
}
