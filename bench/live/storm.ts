/**
 * A storm: on one day every manager of a market restates its last report. Counts how often the brief of a ticker is
 * built until nothing is pending, and how long a ticker waits. Everybody has been asked for, so no brief is left to
 * its reader.
 *
 *   npm run bench:storm [-- --filers 500 --rows 60 …]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { openQueue } from '../../jobs/worker/open.ts';
import { bullPrefix } from '../../jobs/worker/producer.ts';
import { QUEUES } from '../../queues/index.ts';
import { invalidationsIn } from '../../src/store/invalidation/invalidation.ts';
import { report } from '../goals.ts';
import { marketOf, writeMarket } from '../market/folder.ts';
import { type Market, SMALL, securitiesOf } from '../market/market.ts';
import { restatementOf } from '../market/submissions.ts';
import { type Home, withHome } from './home.ts';
import { openReader } from './reader.ts';

const SIZE: Market = { ...SMALL, filers: 500, rows: 60, securities: 1_000, tickers: 200 };
const LOOK_MS = 250;

const { market } = marketOf(process.argv.slice(2), SIZE);
const tickers = securitiesOf(market).flatMap(({ ticker }) => ticker ?? []);

await withHome(
  'storm',
  (dir) => void writeMarket(dir, market),
  async (home) => {
    home.start('serve');
    await home.listens('serve');
    home.start('work');
    home.start('schedule');
    await home.untilDone();
    const reader = await openReader(home);
    for (const ticker of tickers) await reader.brief(ticker);
    await reader.close();
    await home.untilDone();
    console.error('before the storm: done');
    const before = await built(home);
    const marks = watchMarks(home);
    for (let filer = 0; filer < market.filers; filer += 1) {
      const { file, text } = restatementOf(filer, market);
      writeFileSync(join(home.dir, file), text);
    }
    await home.edgar.rescan();
    await poll(home);
    await home.untilDone();
    const { tickers: moved, oldestMs } = marks.stop();
    report('storm', [
      { what: 'briefs built for each ticker', value: ((await built(home)) - before) / moved, atMost: 1.1 },
      { what: 'the longest wait of a brief, s', value: oldestMs / 1_000, atMost: 330 },
    ]);
  },
);

/** Jobs of briefs that ended so far. */
async function built({ services, config }: Home): Promise<number> {
  const queue = new Queue('brief', {
    connection: { url: services.queueRedisUrl },
    prefix: bullPrefix(config.queuePrefix),
  });
  const { meta } = await queue.getMetrics('completed');
  await queue.close();
  return meta.count;
}

async function poll(home: Home): Promise<void> {
  const queue = await openQueue(home.config, home.services);
  await queue.producer.enqueue(QUEUES.poll, { slot: Date.now() });
  await queue.close();
}

/** Which briefs were pending, and the longest that one of them was. */
function watchMarks({ db }: Home) {
  const seen = new Set<string>();
  let [oldestMs, isStopped] = [0, false];
  const look = async (): Promise<void> => {
    while (!isStopped) {
      const pending = await invalidationsIn(db).find({ kind: 'brief', pending: true }).toArray();
      for (const { key, at } of pending) {
        seen.add(key);
        oldestMs = Math.max(oldestMs, Date.now() - (at?.getTime() ?? Date.now()));
      }
      await sleep(LOOK_MS);
    }
  };
  const looking = look();
  looking.catch(() => undefined);
  return {
    stop: () => {
      isStopped = true;
      return { tickers: seen.size, oldestMs };
    },
  };
}
