/**
 * How long a live Form 4 takes from the feed to the brief that the API answers: idle, while a backfill runs,
 * and while what is computed over whole quarters runs. The time begins when the feed is polled.
 *
 *   npm run bench:live [-- --filers 30 --rows 100 …]
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../../jobs/worker/open.ts';
import { engineThatMade } from '../../packages/embedded/engine.ts';
import { QUEUES } from '../../queues/index.ts';
import { form4Text } from '../../scripts/sandbox/form-4-text.ts';
import { accessionOf } from '../../scripts/sandbox/submission-text.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { requireIsoDate } from '../../src/domain/ids.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { report } from '../goals.ts';
import { marketOf, writeMarket } from '../market/folder.ts';
import { type Market, quarterEndsOf, type Security, SMALL, securitiesOf } from '../market/market.ts';
import { AS_OF } from '../scale/loaded.ts';
import { type Home, withHome } from './home.ts';
import { openReader } from './reader.ts';

/** Of the Forms 4 two thirds are older than what a new installation reads by itself. */
const SIZE: Market = {
  ...{ ...SMALL, filers: 30, rows: 100, securities: 1_000, tickers: 100, form4PerYear: 20, form4Years: 3 },
};
const FORMS = 15;
const ASK_MS = 20;
const LIMIT_MS = 60_000;
const EVERYTHING = requireIsoDate('1993-01-01');

const { market } = marketOf(process.argv.slice(2), SIZE);
const listed = securitiesOf(market).filter(({ ticker }) => ticker !== null);

await withHome(
  'live',
  (dir) => void writeMarket(dir, market),
  async (home) => {
    home.start('serve');
    await home.listens('serve');
    home.start('work');
    home.start('schedule');
    await home.untilDone();
    const live = await openLive(home);
    try {
      // The first form loads code that the others find loaded.
      await live.measure('warm-up', async () => true);
      const idle = await live.measure('idle', async () => true);
      await live.backfill();
      const beside = await live.measure('beside a backfill', live.isBackfilling);
      await home.untilDone();
      const heavy = await live.measure('beside whole quarters', async () => {
        await live.recomputeQuarters();
        return true;
      });
      console.log(
        `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}, ${engineThatMade(home.folder)} engine`,
      );
      console.table({ idle, 'beside a backfill': beside, 'beside whole quarters': heavy });
      report('live', [
        { what: 'Form 4 from poll to answer, s, idle', value: idle.p50 / 1_000, atMost: 2 },
        { what: 'the same beside a backfill, s', value: beside.p50 / 1_000, atMost: 2 },
        { what: 'the slowest beside whole quarters, s', value: heavy.max / 1_000, atMost: 2 },
      ]);
    } finally {
      await live.close();
    }
  },
);

type Latency = { readonly forms: number; readonly p50: number; readonly max: number };

async function openLive(home: Home) {
  const queue = await openQueue(home.config, home.services);
  const { brief, close } = await openReader(home);
  let [slot, filed] = [Date.now(), 0];

  /** Milliseconds from the poll that finds a new Form 4 to another brief. */
  const one = async (security: Security): Promise<number> => {
    const ticker = security.ticker ?? '';
    const before = await brief(ticker);
    filed += 1;
    writeFileSync(join(home.dir, `live-${filed}.txt`), formOf(security, filed));
    await home.edgar.rescan();
    const started = performance.now();
    slot += 1;
    await queue.producer.enqueue(QUEUES.poll, { slot });
    while (performance.now() - started < LIMIT_MS) {
      if ((await brief(ticker)) !== before) return performance.now() - started;
      await sleep(ASK_MS);
    }
    throw new Error(`the brief of ${ticker} does not change`);
  };

  return {
    /** Measures while `goesOn`, which is asked before each form. */
    measure: async (name: string, goesOn: () => Promise<boolean>): Promise<Latency> => {
      const times: number[] = [];
      while (times.length < FORMS && (await goesOn())) {
        times.push(await one(listed[filed % listed.length] as Security));
      }
      console.error(`${name}: ${times.map(Math.round).join(' ')} ms`);
      const sorted = times.sort((a, b) => a - b);
      const at = (share: number): number =>
        Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
      return { forms: times.length, p50: at(0.5), max: at(1) };
    },
    /** Reads everything that was ever filed. */
    backfill: async (): Promise<void> => {
      slot += 1;
      await queue.producer.enqueue(QUEUES.backfill, { slot, from: EVERYTHING, through: AS_OF });
      while ((await pipelineProgress(home.db)).done) await sleep(ASK_MS);
    },
    isBackfilling: async (): Promise<boolean> => !(await pipelineProgress(home.db)).done,
    recomputeQuarters: async (): Promise<void> => {
      const quarters = quarterEndsOf(market.quarters);
      await invalidate(home.db, 'peers', quarters);
    },
    close: async (): Promise<void> => {
      await close();
      await queue.close();
    },
  };
}

function formOf({ cik, issuer, ticker }: Security, number: number): string {
  const owner = String(9_950_000_000 + number);
  return form4Text({
    accession: accessionOf(owner, AS_OF, number),
    filed: AS_OF,
    purpose: 'A BENCHMARK',
    issuer: { cik, name: issuer, symbol: ticker ?? '' },
    reportingOwner: { cik: owner, name: `LIVE PERSON ${number}`, role: 'CFO' },
    trades: [{ date: AS_OF, code: 'P', shares: 100 + number, price: '10.00', after: 100_000 }],
  });
}
