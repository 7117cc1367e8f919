/**
 * Asking the filers of a quarter together (`jobs/peers.ts`): so many synthetic managers of so
 * many rows in two adjacent quarters, every two hundredth security split. The first computation, the
 * second look that finds nothing changed, and the peak of memory.
 *
 *   npm run bench:peers [-- MANAGERS ROWS]
 */
import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { loadConfig } from '../src/config.ts';
import { refreshPeers } from '../src/derive/peers/writer.ts';
import { sampleFiling, sampleRow } from '../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../src/domain/filing/filing.ts';
import type { Cik, Cusip, IsoDate, QuarterEnd } from '../src/domain/ids.ts';
import { foldReport } from '../src/domain/report/fold.ts';
import { discardHome } from '../src/embedded/embedded.ts';
import { openServices } from '../src/embedded/open.ts';
import { openMongo } from '../src/mongo.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { publishAsOf } from '../src/store/filing/settings.ts';
import { ensureIndexes } from '../src/store/mongo/indexes.ts';
import { insertNew } from '../src/store/mongo/write.ts';
import { filedPositions, filedRows, filedSummary } from '../src/store/report/filed-positions.ts';

const [MANAGERS = 500, ROWS = 500] = process.argv.slice(2).map(Number);
const SECURITIES = ROWS * 8;
const QUARTERS = ['2023-06-30', '2023-09-30'] as QuarterEnd[];
const SPLIT_EVERY = 200;

const config = loadConfig();
const home = mkdtempSync(join(tmpdir(), 'bench-peers-'));
const services = await openServices({ ...config, home }, (line) => console.error(line));
try {
  const mongo = await openMongo(services.mongoUrl, `bench_peers_${process.pid}`);
  try {
    await ensureIndexes(mongo.db);
    await publishAsOf(mongo.db, '2023-11-30' as IsoDate);
    await measure(mongo.db);
  } finally {
    await mongo.db.dropDatabase();
    await mongo.client.close();
  }
} finally {
  await services.release();
  discardHome(home);
}

async function measure(db: Db): Promise<void> {
  const fill = await timed(() => seed(db));
  const quarterEnd = QUARTERS[1] as QuarterEnd;
  const peak = watchMemory();
  const first = await timed(() => refreshPeers(db, quarterEnd, { version: 1, at: '' }));
  const megabytes = peak();
  const second = await timed(() => refreshPeers(db, quarterEnd, { version: 2, at: '' }));
  const cpu = cpus()[0]?.model ?? 'unknown';
  console.log(`${MANAGERS} managers of ${ROWS} rows in two quarters; ${cpu}, Node ${process.version}`);
  console.table([
    { step: 'write the books', ...fill.spent },
    { step: `first computation: ${first.answer.kind}`, ...first.spent, 'peak MB': megabytes },
    { step: `second look: ${second.answer.kind}`, ...second.spent },
  ]);
}

type Spent = { readonly seconds: number; readonly 'CPU s': number };

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; spent: Spent }> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const answer = await work();
  const { user, system } = process.cpuUsage(cpu);
  const round = (value: number): number => Math.round(value * 10) / 10;
  return {
    answer,
    spent: { seconds: round((performance.now() - start) / 1_000), 'CPU s': round((user + system) / 1e6) },
  };
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

/** The books and what is read of the reports beside them; nothing that is shown of a report is read. */
async function seed(db: Db): Promise<void> {
  for (let manager = 1; manager <= MANAGERS; manager += 1) {
    for (const quarterEnd of QUARTERS) {
      const report = reportOf(manager, quarterEnd);
      if (report === null) throw new Error('a report of rows is a report');
      const filed = filedSummary(report);
      const { cik, filings } = report;
      await filedPositions.write(db, { cik, quarterEnd, digest: filed.digest }, filedRows(report));
      const doc = {
        _id: reportId({ cik, quarterEnd }),
        cik,
        quarterEnd,
        version: filed.digest,
        filed,
        filings,
      };
      await insertNew(db.collection<typeof doc>('reports'), [doc as never]);
    }
  }
}

function reportOf(manager: number, quarterEnd: QuarterEnd) {
  const cik = String(manager).padStart(10, '0') as Cik;
  const isNow = quarterEnd === QUARTERS[1];
  const filedDate = isNow ? '2023-11-14' : '2023-08-14';
  const accession = `${cik}-23-00000${isNow ? 2 : 1}`;
  const rows = Array.from({ length: ROWS }, (_, at) => rowOf(manager, at, isNow));
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
  return `S${String(security).padStart(6, '0')}00` as Cusip;
}
