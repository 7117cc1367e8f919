/** The process that `own-process.ts` starts: it ingests a market, and does what it is told until its parent is gone. */
import { on } from 'node:events';
import { measureAgain } from './again.ts';
import { measureAmended } from './amended.ts';
import { holdingsPage } from './holdings-page.ts';
import { type Loaded, withLoadedMarket } from './loaded.ts';
import { oneBrief } from './one-brief.ts';
import type { Changed, Ingested, Order, Read } from './own-process.ts';
import { openTypical, type Spent } from './probe.ts';
import { measureWeek } from './week.ts';

// Of a terminal, it reaches the parent too, whose end closes the services in order.
process.on('SIGINT', () => undefined);
const orders = on(process, 'message', { close: ['disconnect'] }) as AsyncIterableIterator<[Order]>;

const { value: first } = await orders.next();
const [order] = first as [Order];
if (order.kind !== 'load') throw new Error('the first order is a market');
await withLoadedMarket(order.market, (loaded) => serve(loaded, order.holders));

async function serve(loaded: Loaded, wanted: number): Promise<void> {
  const { rows, ingest, engine, pipeline, probe } = loaded;
  const brief = await oneBrief(pipeline.context.db, wanted);
  const reads: Record<Read, () => Promise<Spent>> = {
    brief: openTypical(probe, brief.load),
    page: openTypical(probe, await holdingsPage(pipeline.context.db)),
  };
  answer({ engine, rows, ingest, holders: brief.holders, forms: brief.forms } satisfies Ingested);
  for await (const [next] of orders) {
    if (next.kind === 'read') answer(await reads[next.read]());
    if (next.kind === 'change') answer(await change(loaded));
  }
}

async function change(loaded: Loaded): Promise<Changed> {
  const amended = await measureAmended(loaded);
  const again = await measureAgain(loaded);
  return { amended, again, week: await measureWeek(loaded) };
}

/** A parent that is gone hears nothing. */
function answer(value: Ingested | Spent | Changed): void {
  if (process.connected) process.send?.(value, () => undefined);
}
