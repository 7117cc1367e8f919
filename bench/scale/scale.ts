/**
 * What the pipeline costs as the market grows: ratios of CPU, commands and documents in one run, on
 * synthetic markets (bench/market).
 *
 *   npm run bench:scale [-- --filers 25] [--rows 100] …
 */
import type { Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput } from '../../src/read/brief/input.ts';
import { currentBriefsIn } from '../../src/store/publish/briefs.ts';
import { marketOf } from '../market/folder.ts';
import type { Market } from '../market/market.ts';
import { type Loaded, withLoadedMarket } from './loaded.ts';
import type { Spent } from './probe.ts';

const GROWTH = 4;

type Measured = {
  readonly rows: number;
  readonly ingest: Spent;
  readonly brief: Spent;
  readonly holders: number;
};

const { market } = marketOf(process.argv.slice(2));
const one = await measure(market);
const four = await measure({ ...market, filers: market.filers * GROWTH });
console.table([line('1x', one), line(`${GROWTH}x`, four)]);
console.table([
  ratio('ingest CPU a row', perRow(four) / perRow(one), 1.1),
  ratio('documents a brief, over 3 a holder and 50', four.brief.documents / (3 * four.holders + 50), 1),
]);

function measure(size: Market): Promise<Measured> {
  return withLoadedMarket(size, async (loaded) => {
    const { rows, ingest } = loaded;
    return { rows, ingest, ...(await briefOf(loaded, 20)) };
  });
}

/** The brief of the ticker whose number of holders is nearest to `holders`. */
async function briefOf(
  { pipeline, probe }: Loaded,
  holders: number,
): Promise<{ brief: Spent; holders: number }> {
  const { db } = pipeline.context;
  const shown = await currentBriefsIn(db).find({}).toArray();
  const distance = (count: number | bigint): number => Math.abs(Number(count) - holders);
  const [nearest] = shown.sort((a, b) => distance(a.managersObserved) - distance(b.managersObserved));
  if (nearest === undefined) throw new Error('no brief was built');
  const { spent } = await probe(() => loadBriefInput(db, nearest._id as Ticker, ''));
  return { brief: spent, holders: Number(nearest.managersObserved) };
}

function perRow({ ingest, rows }: Measured): number {
  return (ingest.nodeMs + ingest.engineMs) / rows;
}

function line(size: string, { rows, ingest, brief, holders }: Measured) {
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    size,
    rows,
    'Node ms/row': round(ingest.nodeMs / rows),
    'engine ms/row': round(ingest.engineMs / rows),
    'ingest s': round(ingest.wallMs / 1_000),
    holders,
    'brief documents': brief.documents,
    'brief Node ms': round(brief.nodeMs),
  };
}

function ratio(what: string, value: number, goal: number) {
  return { what, value: Math.round(value * 100) / 100, goal: `≤ ${goal}`, held: value <= goal };
}
