/**
 * What part of a worker's CPU BullMQ takes in a backfill of Forms 4, by CPU profile: a sample belongs to the nearest of
 * BullMQ, ioredis, the driver of MongoDB and Tidemark's own code on its stack. ioredis counts as BullMQ's, although a
 * worker's credits use it too.
 *
 *   npm run bench:queue [-- --tickers 100 …]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openQueue } from '../jobs/worker/open.ts';
import { QUEUES } from '../queues/index.ts';
import { withTemporaryFolder } from '../scripts/temporary-folder.ts';
import { requireIsoDate } from '../src/domain/ids.ts';
import { engineThatMade } from '../src/embedded/engine.ts';
import { type Profile, spentBy } from './cpu-profile.ts';
import { report } from './goals.ts';
import { type Home, withHome } from './live/home.ts';
import { marketOf, writeMarket } from './market/folder.ts';
import { type Market, SMALL } from './market/market.ts';
import { AS_OF } from './scale/loaded.ts';

const SIZE: Market = {
  ...{ ...SMALL, filers: 4, rows: 20, securities: 100, tickers: 50, form4PerYear: 10, form4Years: 2 },
};
const TIDEMARK = fileURLToPath(new URL('../scripts/tidemark.mjs', import.meta.url));
const EVERYTHING = requireIsoDate('1993-01-01');
const OWNERS = {
  bullmq: /\/node_modules\/(bullmq|ioredis|redis-parser|msgpackr)\//,
  mongodb: /\/node_modules\/(mongodb|bson)\//,
  tidemark: /\/(src|jobs|queues)\/.*\.ts$/,
} as const;

const { market } = marketOf(process.argv.slice(2), SIZE);

await withTemporaryFolder('profiles', async (profiles) => {
  mkdirSync(profiles, { recursive: true });
  let filings = 0;
  const engine = await withHome(
    'queue',
    (dir) => {
      filings = writeMarket(dir, market).filings;
    },
    async (home) => {
      home.start('schedule');
      const worker = spawn(process.execPath, ['--cpu-prof', `--cpu-prof-dir=${profiles}`, TIDEMARK, 'work'], {
        env: home.env,
        stdio: 'inherit',
      });
      await backfill(home);
      worker.kill('SIGTERM');
      await once(worker, 'exit');
      return engineThatMade(home.folder);
    },
  );
  const spent = spentIn(profiles);
  const total = Object.values(spent).reduce((sum, us) => sum + us, 0);
  console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${engine} engine`);
  report('queue', [
    {
      what: "BullMQ's part of a worker's CPU in a backfill of Forms 4",
      value: spent.bullmq / total,
      atMost: 0.1,
    },
    { what: 'the part of the driver of MongoDB', value: spent.mongodb / total },
    { what: 'CPU ms of the worker a filing', value: total / 1_000 / filings },
  ]);
});

async function backfill(home: Home): Promise<void> {
  const queue = await openQueue(home.config, home.services);
  await queue.producer.enqueue(QUEUES.backfill, { slot: 1, from: EVERYTHING, through: AS_OF });
  await home.untilDone();
  await queue.close();
}

/** Microseconds by owner, of the worker and its threads. */
function spentIn(folder: string): ReturnType<typeof spentBy<keyof typeof OWNERS>> {
  const spent = { bullmq: 0, mongodb: 0, tidemark: 0, other: 0 };
  for (const name of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile;
    for (const [owner, micros] of Object.entries(spentBy(profile, OWNERS)))
      spent[owner as keyof typeof spent] += micros;
  }
  return spent;
}
