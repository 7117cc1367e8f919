/**
 * What the pipeline costs as the market grows: ratios of CPU, commands and documents in one run, on
 * synthetic markets (bench/market). The same market is loaded as it is, with four times its filers, with
 * managers that stopped reporting, and with years of Forms 4.
 *
 *   npm run bench:scale [-- --filers 50 --rows 100 …]
 */
import { cpus } from 'node:os';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { currentBriefsIn } from '../../src/store/publish/briefs.ts';
import { marketOf } from '../market/folder.ts';
import type { Market } from '../market/market.ts';
import { readPage } from './holdings-page.ts';
import { type Loaded, withLoadedMarket } from './loaded.ts';
import type { Spent } from './probe.ts';

const GROWTH = 4;
/** The brief that is measured has about so many holders. */
const HOLDERS = 20;
const ROUNDS = 9;

type Measured = {
  readonly rows: number;
  readonly ingest: Spent;
  readonly holders: number;
  readonly brief: Spent;
  readonly page: Spent;
};

const { market } = marketOf(process.argv.slice(2));
const variants: Record<string, Market> = {
  plain: market,
  [`${GROWTH} x filers`]: { ...market, filers: market.filers * GROWTH },
  'stopped managers': { ...market, stopped: market.filers * 3 },
  'years of Forms 4': { ...market, tickers: 20, form4PerYear: 12, form4Years: 5 },
};
const measured: Record<string, Measured> = {};
for (const [name, size] of Object.entries(variants)) {
  measured[name] = await withLoadedMarket(size, measure);
  console.error(`${name}: done`);
}
report();

async function measure(loaded: Loaded): Promise<Measured> {
  const { rows, ingest, pipeline } = loaded;
  const { db } = pipeline.context;
  const ticker = await tickerWith(HOLDERS, loaded);
  return {
    rows,
    ingest,
    holders: ticker.holders,
    brief: await typical(loaded, () => loadBriefInput(db, ticker.symbol, '')),
    page: await typical(loaded, () => readPage(db)),
  };
}

/** The round of median CPU: the first ones still compile. */
async function typical({ probe }: Loaded, work: () => Promise<unknown>): Promise<Spent> {
  const rounds: Spent[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push((await probe(work)).spent);
  const sorted = rounds.sort((a, b) => a.nodeMs - b.nodeMs);
  return sorted[Math.floor(ROUNDS / 2)] as Spent;
}

/** The ticker whose number of holders is nearest. */
async function tickerWith(holders: number, { pipeline }: Loaded) {
  const shown = await currentBriefsIn(pipeline.context.db).find({}).toArray();
  const distance = (count: number | bigint): number => Math.abs(Number(count) - holders);
  const [nearest] = shown.sort((a, b) => distance(a.managersObserved) - distance(b.managersObserved));
  if (nearest === undefined) throw new Error('no brief was built');
  return { symbol: nearest._id, holders: Number(nearest.managersObserved) };
}

function report(): void {
  console.log(
    `${cpus()[0]?.model}, Node ${process.version}; CPU of Node and of the database, medians of ${ROUNDS}`,
  );
  console.table(Object.fromEntries(Object.entries(measured).map(([name, one]) => [name, line(one)])));
  const [plain, grown, stopped, history] = Object.values(measured);
  if (plain === undefined || grown === undefined || stopped === undefined || history === undefined) return;
  const perRow = ({ ingest, rows }: Measured): number => (ingest.nodeMs + ingest.engineMs) / rows;
  console.table([
    ratio(`ingest CPU a row, ${GROWTH} x filers`, perRow(grown) / perRow(plain), 1.1),
    ratio(`brief CPU, ${GROWTH} x filers`, cpuOf(grown.brief) / cpuOf(plain.brief), 1.2),
    ratio('brief CPU, stopped managers', cpuOf(stopped.brief) / cpuOf(plain.brief), 1.2),
    ratio(
      'brief documents over 3 a holder and 50',
      Math.max(...Object.values(measured).map(({ brief, holders }) => brief.documents / (3 * holders + 50))),
      1,
    ),
    ratio('holdings page CPU, years of Forms 4', cpuOf(history.page) / cpuOf(plain.page), 1.2),
    ratio('holdings page documents', history.page.documents, 10),
  ]);
}

function cpuOf({ nodeMs, engineMs }: Spent): number {
  return nodeMs + (Number.isNaN(engineMs) ? 0 : engineMs);
}

function line({ rows, ingest, holders, brief, page }: Measured) {
  return {
    rows,
    'Node ms/row': round(ingest.nodeMs / rows),
    'engine ms/row': round(ingest.engineMs / rows),
    'ingest s': round(ingest.wallMs / 1_000),
    holders,
    'brief docs': brief.documents,
    'brief ms': round(cpuOf(brief)),
    'page docs': page.documents,
    'page ms': round(cpuOf(page)),
  };
}

function ratio(what: string, value: number, goal: number) {
  return { what, value: round(value), goal: `≤ ${goal}`, held: value <= goal };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
