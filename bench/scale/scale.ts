/**
 * What the pipeline costs as the market grows: ratios of CPU, documents and bytes with their goals, in one
 * run, on synthetic markets (bench/market). The same market is loaded as it is, with four times its filers,
 * with managers that stopped reporting, and with years of Forms 4, each in a process of its own, and read in turns with
 * the first. The first two are then ingested again, get restated reports, and live through a week without filings.
 *
 * Then it runs the other benchmarks of growth (beside.ts), so that one command measures all but the full quarter.
 *
 *   npm run bench:scale [-- --filers 50 --rows 100 …] [--only-markets]
 */
import { cpus } from 'node:os';
import { loadConfig } from '../../src/config.ts';
import { report } from '../goals.ts';
import { marketOf } from '../market/folder.ts';
import { type Market, SMALL } from '../market/market.ts';
import { runBeside } from './beside.ts';
import { cacheHits } from './cache-hits.ts';
import { inTurns } from './in-turns.ts';
import { type OwnMarket, openMarket } from './own-process.ts';
import { measureRebuilt } from './rebuilt.ts';
import {
  amendedTable,
  type Beside,
  GROWTH,
  marketTable,
  ofOther,
  ratiosOfBriefs,
  ratiosOfGrowth,
  ratiosOfRebuilt,
  ratiosOfTime,
  WIDE,
} from './report.ts';
import { wideBrief } from './wide-brief.ts';

/** The brief that is measured has about so many holders, and in every market as many as in the first. */
const HOLDERS = 20;
/** Holders of the briefs whose sizes stand for all. */
const WIDTHS = [6, 20, 60, 120, 250, 1_000, 6_000];
const MB = 1_048_576;

/** Some minutes for all of it on the Rust engine. */
const SIZE: Market = { ...SMALL, filers: 70, rows: 60, tickers: 300, securities: 1_500 };
/** As the full market has after twelve years. */
const STOPPED = 6_000;

const ONLY_MARKETS = '--only-markets';
const args = process.argv.slice(2);

const { market } = marketOf(
  args.filter((arg) => arg !== ONLY_MARKETS),
  SIZE,
);
const plain = await openMarket(market, HOLDERS);
console.error('plain: ingested');
const larger = await openMarket({ ...market, filers: market.filers * GROWTH }, plain.ingested.holders);
const grown = await besidePlain(larger);
const grownLater = await larger.change();
await larger.close();
console.error(`${GROWTH} x filers: done`);
const stopped = await openedBesidePlain({ ...market, stopped: STOPPED });
console.error('stopped managers: done');
const history = await openedBesidePlain({ ...market, tickers: 20, form4PerYear: 12, form4Years: 5 });
console.error('years of Forms 4: done');
const plainLater = await plain.change();
await plain.close();
console.error('plain: done');
const rebuilt = { few: await measureRebuilt(WIDE.few), many: await measureRebuilt(WIDE.many) };
console.error('briefs of few and many holders: done');
const sizes = new Map(WIDTHS.map((width) => [width, wideBrief(width)]));

const { engine } = plain.ingested;
const database = engine === undefined ? 'MongoDB' : `${engine} engine`;
console.log(`${cpus()[0]?.model}, Node ${process.version}, ${database}; CPU of Node and of the database`);
const { brief, page } = grown.compared;
const ofPlain = { ingested: plain.ingested, reads: { brief: brief.plain, page: page.plain } };
console.table(
  marketTable({
    plain: ofPlain,
    [`${GROWTH} x filers`]: ofOther(grown),
    stopped: ofOther(stopped),
    history: ofOther(history),
  }),
);
console.table(amendedTable({ plain: plainLater, [`${GROWTH} x filers`]: grownLater }));
report('scale', [
  ...ratiosOfGrowth({ plain: ofPlain, grown, stopped, history }),
  ...ratiosOfTime({
    plain: { ...plain.ingested, ...plainLater },
    grown: { ...grown.ingested, ...grownLater },
  }),
  ...ratiosOfRebuilt(rebuilt),
  ...ratiosOfBriefs(sizes, {
    usual: cacheHits({ sizes, maxBytes: loadConfig().briefCacheMb * MB }),
    large: cacheHits({ sizes, maxBytes: 512 * MB }),
  }),
]);

if (!args.includes(ONLY_MARKETS)) {
  const failed = runBeside();
  for (const script of failed) console.error(`failed: ${script}`);
  if (failed.length > 0) process.exitCode = 1;
}

async function besidePlain(other: OwnMarket): Promise<Beside> {
  const brief = await inTurns(plain, other, 'brief');
  const page = await inTurns(plain, other, 'page');
  return { ingested: other.ingested, compared: { brief, page } };
}

async function openedBesidePlain(of: Market): Promise<Beside> {
  const other = await openMarket(of, plain.ingested.holders);
  const beside = await besidePlain(other);
  await other.close();
  return beside;
}
