/** The process that `own-process.ts` starts: it measures the market that it is sent, and answers. */
import { measureAgain } from './again.ts';
import { measureAmended } from './amended.ts';
import { holdingsPage } from './holdings-page.ts';
import { type Loaded, withLoadedMarket } from './loaded.ts';
import { measureBrief } from './one-brief.ts';
import type { Order } from './own-process.ts';
import { typical } from './probe.ts';
import type { Grown, Measured } from './report.ts';
import { measureWeek } from './week.ts';

process.once('message', async ({ market, holders, changesMarket }: Order) => {
  const work = changesMarket ? measureAll : measure;
  const measured = await withLoadedMarket(market, (loaded) => work(loaded, holders));
  process.send?.(measured, () => process.disconnect());
});

async function measure(loaded: Loaded, holders: number): Promise<Measured> {
  const { rows, ingest, pipeline, probe, engine } = loaded;
  const brief = await measureBrief(loaded, holders);
  const page = await typical(probe, await holdingsPage(pipeline.context.db));
  return { engine, rows, ingest, brief, page };
}

/** The later measures change the market. */
async function measureAll(loaded: Loaded, holders: number): Promise<Grown> {
  const measured = await measure(loaded, holders);
  const amended = await measureAmended(loaded);
  const again = await measureAgain(loaded);
  return { ...measured, amended, again, week: await measureWeek(loaded) };
}
