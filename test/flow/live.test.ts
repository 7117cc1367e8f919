import { expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { waitUntil } from '../../packages/embedded/wait.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { countPending } from '../../src/store/invalidation/invalidation.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { interruptedDb } from '../store/interrupted.ts';
import { openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';
import { SUMMER as GREENLIGHT } from './greenlight.ts';

/** Berkshire Hathaway's reports of June and September 2018. */
const SUMMER = '0000950123-18-008866' as Accession;
const AUTUMN = '0000950123-18-011885' as Accession;

test('what a live filing changes is compared by the job that parses it, the quarter behind it too', async () => {
  const folder = await openFolder({ accessions: [SUMMER, AUTUMN], symbols: ['AAPL'] });
  const flow = await openFlow(folder, '2018-11-30');
  const { context, close } = await openStages(flow);
  const shown = async () => {
    const docs = await reportsIn(flow.db).find().sort({ _id: 1 }).toArray();
    return docs.map(({ quarterEnd, priorAccessions }) => [quarterEnd, ...priorAccessions]);
  };
  try {
    await JOBS.poll(context, { slot: 1 });
    for (const accession of [AUTUMN, SUMMER]) {
      await JOBS.fetch(context, { accession, run: 0, lane: 'live' });
      await JOBS.parse(context, { accession, run: 1, lane: 'live' });
      expect(await countPending(flow.db, 'report')).toBe(0);
      if (accession === AUTUMN) expect(await shown()).toEqual([['2018-09-30']]);
    }
    expect(await shown()).toEqual([['2018-06-30'], ['2018-09-30', SUMMER]]);
    expect(await context.producer.load(['diff'])).toBe(0);
  } finally {
    await close();
    await flow.close();
    await folder.close();
  }
}, 120_000);

test('live filings that are parsed at the same time are compared one after another', async () => {
  const both = [SUMMER, GREENLIGHT as Accession];
  const folder = await openFolder({ accessions: both, symbols: ['AAPL'] });
  const flow = await openFlow(folder, '2018-11-30');
  const { context, close } = await openStages(flow);
  const order: string[] = [];
  const db = interruptedDb(context.db, {
    before: async ({ collection }) => {
      if (collection !== 'settings') return;
      order.push('begins');
      // The other one is ready to be compared too.
      await waitUntil(
        async () => (await filingsIn(flow.db).countDocuments({ derive: 'done' })) === 2,
        60_000,
      );
    },
    after: async ({ collection, name }) => {
      if (collection === 'invalidations' && name === 'bulkWrite') order.push('ends');
    },
  });
  try {
    await JOBS.poll(context, { slot: 1 });
    for (const accession of both) await JOBS.fetch(context, { accession, run: 0, lane: 'live' });
    await Promise.all(
      both.map((accession) => JOBS.parse({ ...context, db }, { accession, run: 1, lane: 'live' })),
    );
    expect(order).toEqual(['begins', 'ends', 'begins', 'ends']);
  } finally {
    await close();
    await flow.close();
    await folder.close();
  }
}, 120_000);
