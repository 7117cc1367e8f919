import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Accession, Cik, Ticker } from '../../src/domain/ids.ts';
import { type EventDoc, eventsIn, readWatchedEvents } from '../../src/store/filing/events.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { opened } from '../opened.ts';
import { runs } from '../runs.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
});

const TICKERS = ['A', 'B', 'C', ''] as Ticker[];
const CIKS = ['0000000001', '0000000002', '0000000003', '0000000004'] as Cik[];

/** Gaps between seqs, and filings whose ticker, issuer and owners overlap in every way. */
const stream = fc.array(
  fc.record({
    skip: fc.integer({ min: 1, max: 4 }),
    ticker: fc.constantFrom(...TICKERS),
    issuerCik: fc.option(fc.constantFrom(...CIKS)),
    reportingOwnerCiks: fc.uniqueArray(fc.constantFrom(...CIKS), { maxLength: 3 }),
  }),
  { maxLength: 25 },
);
const asked = fc.record({
  tickers: fc.uniqueArray(fc.constantFrom('A', 'B', 'Z' as Ticker), { maxLength: 3 }) as fc.Arbitrary<
    Ticker[]
  >,
  ciks: fc.uniqueArray(fc.constantFrom(...CIKS), { maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 8 }),
  start: fc.integer({ min: 0, max: 110 }),
});

async function refill(filings: readonly Omit<EventDoc, '_id' | 'accession'>[], seqs: readonly number[]) {
  await eventsIn(world.mongo.db).deleteMany({});
  const docs = filings.map((filing, at): EventDoc => {
    const seq = seqs[at] ?? 0;
    return { ...filing, _id: seq, accession: `0000000001-18-${String(seq).padStart(6, '0')}` as Accession };
  });
  if (docs.length > 0) await eventsIn(world.mongo.db).insertMany(docs);
  return docs;
}

test('the merged reads are the filtered stream: in order, each once, and the cursor passes nothing', {
  tags: ['property'],
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(stream, asked, async (made, { tickers, ciks, limit, start }) => {
      let seq = 0;
      const seqs = made.map(({ skip }) => (seq += skip));
      const rest = { form: '4', issuer: '', filedAt: '', sourceUrl: '' };
      const docs = await refill(
        made.map(({ skip: _skip, ...filing }) => ({ ...rest, ...filing })),
        seqs,
      );
      const isWatched = (doc: EventDoc): boolean =>
        tickers.some((one) => one === doc.ticker) ||
        [doc.issuerCik, ...doc.reportingOwnerCiks].some((one) => one !== null && ciks.includes(one));
      const expected = docs.filter(isWatched).map((doc) => doc._id);
      const { db } = world.mongo;

      const latest = await readWatchedEvents(db, { tickers, ciks }, { since: null, limit });
      expect(latest.events.map((doc) => Number(doc._id))).toEqual(expected.slice(-limit));
      expect(latest.nextCursor).toBe(seqs.at(-1) ?? 0);

      const seen: number[] = [];
      let cursor = start;
      for (;;) {
        const page = await readWatchedEvents(db, { tickers, ciks }, { since: cursor, limit });
        seen.push(...page.events.map((doc) => Number(doc._id)));
        expect(page.events.length).toBeLessThanOrEqual(limit);
        expect(page.nextCursor).toBeGreaterThanOrEqual(cursor);
        if (page.nextCursor === cursor) break;
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(expected.filter((one) => one > start));
      expect(cursor).toBe(Math.max(start, seqs.at(-1) ?? 0));
    }),
    { numRuns: runs(60) },
  );
});
