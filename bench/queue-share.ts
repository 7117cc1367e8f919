/**
 * What part of the workers' CPU BullMQ takes in a backfill of Forms 4, by CPU profile: a sample belongs to the nearest of
 * BullMQ, ioredis, the driver of MongoDB and Tidemark's own code on its stack. ioredis counts as BullMQ's, although the
 * rate of EDGAR and the credits use it too.
 *
 * The market has 3,000 Forms 4 of 1,000 issuers on the five business days of a week: 600 a day and three an issuer,
 * where EDGAR has some 800 a business day. Spread over years, most jobs would read the index of a day with one or two
 * filings.
 *
 *   npm run bench:queue [-- --tickers 100 …]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openQueue } from '../jobs/worker/open.ts';
import { engineThatMade } from '../packages/embedded/engine.ts';
import { QUEUES } from '../queues/index.ts';
import { withTemporaryFolder } from '../scripts/temporary-folder.ts';
import { requireIsoDate } from '../src/domain/ids.ts';
import { type Profile, spentBy } from './cpu-profile.ts';
import { report } from './goals.ts';
import { type Home, withHome } from './live/home.ts';
import { marketOf, writeMarket } from './market/folder.ts';
import { type Market, SMALL } from './market/market.ts';
import { AS_OF } from './scale/loaded.ts';

const DAYS = 7;
const FORMS_OF_ISSUER = 3;
const SIZE: Market = {
  ...{ ...SMALL, filers: 4, rows: 20, securities: 1_000, tickers: 1_000 },
  ...{ form4PerYear: (FORMS_OF_ISSUER * 365) / DAYS, form4Years: DAYS / 365 },
};
/** As `tidemark work` divides the queues, without the import of data sets: a process each. */
const WORKERS = ['live', 'briefs,heavy', 'leaderboard'] as const;
const TIDEMARK = fileURLToPath(new URL('../scripts/tidemark.mjs', import.meta.url));
const EVERYTHING = requireIsoDate('1993-01-01');
const OWNERS = {
  bullmq: /\/node_modules\/(bullmq|ioredis|redis-parser|msgpackr)\//,
  mongodb: /\/node_modules\/(mongodb|bson)\//,
  tidemark: /\/(src|jobs|queues)\/.*\.ts$|\/tidemark\/compiled\//,
} as const;

const { market } = marketOf(process.argv.slice(2), SIZE);

await withTemporaryFolder('profiles', async (profiles) => {
  let filings = 0;
  const { engine, scripts } = await withHome(
    'queue',
    (dir) => {
      filings = writeMarket(dir, market).filings;
    },
    async (home) => {
      home.start('schedule');
      const workers = WORKERS.map((queues) => startWorker(home, queues, join(profiles, queues)));
      const ran = await backfill(home);
      for (const worker of workers) worker.kill('SIGTERM');
      await Promise.all(workers.map((worker) => once(worker, 'exit')));
      return { engine: engineThatMade(home.folder), scripts: ran };
    },
  );
  const [live, ...others] = WORKERS.map((queues) => spentIn(join(profiles, queues)));
  if (live === undefined) throw new Error('no worker of live filings');
  const all = [live, ...others];
  const sumOf = (owner: keyof Spent) => all.reduce((sum, one) => sum + one[owner], 0);
  const total = all.reduce((sum, one) => sum + totalOf(one), 0);
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${engine} engine`);
  report('queue', [
    {
      what: "BullMQ's part of the workers' CPU in a backfill of Forms 4",
      value: sumOf('bullmq') / total,
      atMost: 0.1,
    },
    { what: '… of the worker alone that fetches, parses and reconciles', value: live.bullmq / totalOf(live) },
    { what: 'the part of the driver of MongoDB', value: sumOf('mongodb') / total },
    { what: 'CPU ms of the workers a filing', value: total / 1_000 / filings },
    { what: 'scripts that Redis ran a filing', value: scripts / filings },
  ]);
});

function startWorker(home: Home, queues: string, profiles: string): ChildProcess {
  mkdirSync(profiles, { recursive: true });
  const flags = ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  return spawn(process.execPath, [...flags, TIDEMARK, 'work', '--queues', queues], {
    env: home.env,
    stdio: 'inherit',
  });
}

/** Returns how many scripts Redis has run. */
async function backfill(home: Home): Promise<number> {
  const queue = await openQueue(home.config, home.services);
  await queue.producer.enqueue(QUEUES.backfill, { slot: 1, from: EVERYTHING, through: AS_OF });
  await home.untilDone();
  const [, calls] = /cmdstat_evalsha:calls=(\d+)/.exec(await queue.redis.info('commandstats')) ?? [];
  await queue.close();
  return Number(calls);
}

type Spent = ReturnType<typeof spentBy<keyof typeof OWNERS>>;

function totalOf(spent: Spent): number {
  return Object.values(spent).reduce((sum, us) => sum + us, 0);
}

/** Microseconds by owner, of a worker and its threads. */
function spentIn(folder: string): Spent {
  const spent = { bullmq: 0, mongodb: 0, tidemark: 0, other: 0 };
  for (const name of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile;
    for (const [owner, micros] of Object.entries(spentBy(profile, OWNERS)))
      spent[owner as keyof typeof spent] += micros;
  }
  return spent;
}
