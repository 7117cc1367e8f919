import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { invalidateFilingFollowers } from '../../src/derive/report/filing-followers.ts';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import { APPLE } from '../../src/domain/filing/filing.sample.ts';
import type { Cik, IsoDate, Ticker } from '../../src/domain/ids.ts';
import { loadBriefInput, showBrief } from '../../src/read/brief/brief.ts';
import { keptHolders } from '../../src/read/brief/holders.ts';
import { requireCorpus } from '../../src/read/holders/resolution.ts';
import { latestActions } from '../../src/read/holders/security-history.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { invalidate, invalidateBriefs } from '../../src/store/invalidation/invalidate.ts';
import { holdersEdition } from '../../src/store/invalidation/left-to-readers.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { publishCorpus, publishedCorpus, republishCorpus } from '../../src/store/publish/corpus.ts';
import { evidencePagesIn } from '../../src/store/publish/evidence.ts';
import { findHolderFacts } from '../../src/store/publish/holder-facts.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { apple, cik, google, LATEST, PRIOR, publish, STATE, seedSymbols, show } from '../api/stock-corpus.ts';
import { discoveredDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const AAPL = 'AAPL' as Ticker;
const AT = '2018-12-03T12:00:00.000Z';
const HOLDERS = 30;

const world = opened(openWorld);
let client: MongoClient;
let db: Db;
let documents = 0;
let version = 0;

beforeAll(async () => {
  await ensureIndexes(world.mongo.db);
  await seedSymbols(world.mongo.db);
  client = new MongoClient(world.env['MONGO_URL'] ?? '', { monitorCommands: true, useBigInt64: true });
  client.on('commandSucceeded', ({ reply }) => {
    const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
    documents += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
  });
  db = client.db(world.config.mongoDb);
  await publish(db);
  for (let n = 1; n <= HOLDERS; n += 1) await change(n, BigInt(1_000 * n));
}, 180_000);
afterAll(async () => {
  await client?.close();
});
beforeEach(async () => {
  await publish(db);
  await built();
});

/** A manager reports so many shares, after as many as its number before, as the diff job shows it. */
async function change(n: number, amount: bigint): Promise<void> {
  await show(db, n, { [PRIOR]: [apple(BigInt(n), 1n)], [LATEST]: [apple(amount, amount), google()] });
  for (const quarterEnd of [PRIOR, LATEST] as const) {
    const key = { cik: cik(n), quarterEnd };
    const report = await findReport(db, key);
    for (const { accession, form } of report?.filings ?? []) {
      const doc = { ...discoveredDoc(accession, form as '13F-HR'), cik: cik(n), state: 'parsed' as const };
      await filingsIn(db).replaceOne({ _id: accession }, doc, { upsert: true });
    }
    await invalidateReportFollowers(db, [{ key, report, before: null }]);
  }
}

/** The id of the brief that is shown next, and what it read. */
async function built() {
  documents = 0;
  version += 1;
  const { brief } = await showBrief(db, AAPL, { version, at: AT });
  return { briefId: brief.briefId, documents };
}

const actions = () => latestActions(db, LATEST)();
const fromNothing = async (): Promise<string> => buildBrief(await loadBriefInput(db, AAPL, AT)).brief_id;

async function newDay(asOf: string, state: Partial<typeof STATE> = {}): Promise<void> {
  const corpus = { asOf: asOf as IsoDate, state: { ...STATE, ...state } };
  await publishCorpus(db, corpus, { at: AT, before: await publishedCorpus(db) });
}

test('a new day, coverage and a Form 4 read no holder again, and change no byte (rule 13.9)', async () => {
  const { briefId: first } = await built();
  const changes: (() => Promise<void>)[] = [
    () => newDay('2018-12-03'),
    () => newDay('2018-12-03', { quarantined: { thirteenF: 1, form4: 0 } }),
    formFiled,
  ];
  const ids = new Set([first]);
  for (const happens of changes) {
    await happens();
    const { briefId, documents: read } = await built();
    expect(briefId).toBe(await fromNothing());
    expect(read).toBeLessThan(HOLDERS);
    ids.add(briefId);
  }
  expect(ids.size).toBe(changes.length + 1);
});

/** A Form 4 of Apple with a purchase. */
async function formFiled(): Promise<void> {
  const issuerCik = '0000320193' as Cik;
  const row = { code: 'P', transactionDate: '2018-11-20' as IsoDate };
  const issuer = { cik: issuerCik, name: 'Apple Inc.', symbol: 'AAPL' };
  const content = form4({ number: 1, filed: '2018-11-21', issuer, rows: [row] });
  const { accession, filedDate } = content.header;
  const doc: FilingDoc = {
    ...discoveredDoc(accession, '4'),
    ...{ state: 'parsed', leg: 'form4', followers: ['brief'], issuerCik, filedDate, content },
  };
  await filingsIn(db).insertOne(doc);
  await invalidateFilingFollowers(db, [doc]);
}

test('each change of a position is in the next brief, also one that a build read halfway (rule 13.9)', {
  tags: ['long'],
  timeout: 60_000,
}, async () => {
  for (let round = 1; round <= 12; round += 1) {
    const runs = [change(round, BigInt(round * 7)), built(), built()];
    await Promise.all(runs);
    expect((await built()).briefId).toBe(await fromNothing());
  }
});

test('facts that are saved late, under an edition that has passed, count for nothing (rule 13.9)', async () => {
  const [edition, publication] = [await holdersEdition(db, AAPL), await requireCorpus(db)];
  const asked = { cusip: APPLE, publication, actions, edition };
  await change(2, 77_777n);
  const before = await findHolderFacts(db, AAPL);
  expect(before?.basis).toContain(`|${edition}|`);
  // As read and saved by a build that began before the change and was slow.
  await keptHolders(db, AAPL, asked);
  expect((await findHolderFacts(db, AAPL))?.basis).toBe(before?.basis);
  expect((await built()).briefId).toBe(await fromNothing());
});

test('a report that is withdrawn, and pages of evidence that are gone, have the holders read again', async () => {
  await republishCorpus(db);
  expect((await built()).documents).toBeGreaterThan(HOLDERS);
  expect((await built()).documents).toBeLessThan(HOLDERS);
  const [page] = (await findHolderFacts(db, AAPL))?.evidence ?? [];
  await evidencePagesIn(db).deleteOne({ _id: page?.digest ?? '' });
  expect((await built()).documents).toBeGreaterThan(HOLDERS);
  expect(await evidencePagesIn(db).countDocuments({ _id: page?.digest ?? '' })).toBe(1);
});

test('only versions that say so leave the edition of the holders as it is', async () => {
  const edition = async () => Number(await holdersEdition(db, AAPL));
  const before = await edition();
  await invalidateBriefs(db, [AAPL], { unmoved: true });
  expect(await edition()).toBe(before);
  await invalidateBriefs(db, [AAPL]);
  await invalidate(db, 'brief', [AAPL]);
  expect(await edition()).toBe(before + 2);
  expect(await holdersEdition(db, 'NONE')).toBeNull();
});

test('of a ticker that changes of its positions do not reach, nothing is stored', async () => {
  const [publication, other] = [await requireCorpus(db), 'TSLA' as Ticker];
  await invalidate(db, 'brief', [other]);
  const edition = await holdersEdition(db, other);
  await keptHolders(db, other, { cusip: APPLE, publication, actions, edition });
  expect(await findHolderFacts(db, other)).toBeNull();
});
