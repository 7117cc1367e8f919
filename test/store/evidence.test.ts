import type { Db } from 'mongodb';
import { beforeEach, expect, test } from 'vitest';
import { type EvidenceRecord, evidenceItem } from '../../src/domain/brief/evidence.ts';
import { PARSER_OF_13F } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik, Ticker } from '../../src/domain/ids.ts';
import { lastSources, sourcesAmong } from '../../src/read/brief/holders.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { correctExpiry } from '../../src/store/publish/brief-expiry.ts';
import { briefsIn, saveBrief } from '../../src/store/publish/briefs.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { allEvidence, evidenceCount, readEvidence, saveEvidence } from '../../src/store/publish/evidence.ts';
import { SUMMARY } from '../api/corpus.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const TICKER = 'AAPL' as Ticker;
const AT = '2018-11-30T12:00:00.000Z';

const world = opened(openWorld, beforeEach);
let db: Db;
beforeEach(async () => {
  db = world.mongo.db;
});

const accessionOf = (n: number): Accession => `0000000001-18-${String(n).padStart(6, '0')}` as Accession;

function record(n: number, rest: Partial<EvidenceRecord> = {}): EvidenceRecord {
  return {
    accession: accessionOf(n),
    kind: 'sec_13f',
    formType: '13F-HR',
    cik: '0000000001' as Cik,
    publishedAt: { value: '2018-11-14', precision: 'day' },
    retrievedAt: AT,
    parserVersion: PARSER_OF_13F,
    rawHash: `sha256:${'a'.repeat(64)}`,
    rows: [n],
    ...rest,
  };
}

const records = (count: number): EvidenceRecord[] => Array.from({ length: count }, (_, n) => record(n + 1));
const pagesStored = (): Promise<number> => db.collection('evidence_pages').countDocuments();

test('any range of 12,000 filings is read as it was stored, from bounded documents', async () => {
  const all = records(12_000);
  const pages = await saveEvidence(db, all);
  expect(evidenceCount(pages)).toBe(12_000);
  for (const [from, count] of [
    [0, 100],
    [5_950, 500],
    [11_999, 500],
    [12_000, 100],
  ] as const) {
    expect(await readEvidence(db, pages, { from, count })).toEqual(all.slice(from, from + count));
  }
  expect(Math.max(...pages.map(({ count }) => count))).toBeLessThan(4_000);
});

test('one filing more writes one page; the same evidence on another day writes none', async () => {
  const all = records(3_000);
  const { length } = await saveEvidence(db, all.toSpliced(1_500, 1));
  expect(await pagesStored()).toBe(length);
  await saveEvidence(db, all);
  expect(await pagesStored()).toBe(length + 1);
  await saveEvidence(
    db,
    all.map((one) => ({ ...one, retrievedAt: '2019-01-01T00:00:00.000Z' })),
  );
  expect(await pagesStored()).toBe(length + 1);
});

test('a filing that was parsed again is another reading, and the older brief keeps the one it had', async () => {
  const imported = record(0, { rawHash: null, parserVersion: '13f-tsv-1' });
  const read = [imported, record(1), record(2, { parserVersion: 'p1' })];
  const first = await show(read);
  await filingsIn(db).insertMany([3, 2, 1, 0].map(filing) as FilingDoc[]);
  const all = [0, 1, 2, 3].map(accessionOf);
  const sources = await sourcesAmong(db, all, await lastSources(db, first));
  // What the present parser read is not read again.
  const versions = all.map((accession) => sources.get(accession)?.parserVersion);
  expect(versions).toEqual(['p2', PARSER_OF_13F, 'p2', 'p2']);
  expect((await allEvidence(db, first)).map(evidenceItem)).toEqual(read.map(evidenceItem));
});

test('evidence expires when no stored brief rests on it, and stays when one does again (rule 13.8)', async () => {
  const used = await show(records(600));
  const left = await saveEvidence(db, [record(900)]);
  const pages = db.collection<{ _id: string; expiresAt?: Date }>('evidence_pages');
  const expiring = async () =>
    (await pages.find({ expiresAt: { $exists: true } }).toArray()).map(idOf).sort();
  const idOf = ({ _id }: { _id: string }) => _id;
  const ids = (of: typeof used) => of.map(({ digest }) => digest).sort();
  // As a crash may have left it.
  await pages.updateOne({ _id: used[0]?.digest ?? '' }, { $set: { expiresAt: new Date(AT) } });
  await correctExpiry(db, AT);
  expect(await expiring()).toEqual(ids(left));
  expect((await pages.findOne({ _id: left[0]?.digest ?? '' }))?.expiresAt).toEqual(
    new Date('2018-12-30T12:00:00.000Z'),
  );
  await saveEvidence(db, [record(900)]);
  expect(await expiring()).toEqual([]);
  await briefsIn(db).deleteMany({});
  await correctExpiry(db, AT);
  expect(await expiring()).toEqual(ids([...used, ...left]));
});

/** Shows a brief that rests on the records. */
async function show(own: readonly EvidenceRecord[]) {
  const evidence = await saveEvidence(db, own);
  await saveBrief(db, {
    _id: 'b',
    ticker: TICKER,
    body: Buffer.from('{}'),
    evidence,
    generatedAt: AT,
    summary: SUMMARY,
  });
  await currentBriefsIn(db).insertOne({
    ...{
      _id: TICKER,
      briefId: 'b',
      version: 1,
      corpus: 1,
      algorithm: 'a',
      at: AT,
      managersObserved: 1,
      lane: 'backfill',
    },
  });
  return evidence;
}

function filing(n: number): Partial<FilingDoc> {
  return {
    ...{ _id: accessionOf(n), form: '13F-HR', leg: 'thirteen_f', cik: '0000000001' as Cik },
    ...{ publishedAt: { value: '2018-11-14', precision: 'day' }, retrievedAt: AT, parserVersion: 'p2' },
    parsedRaw: null,
  };
}
