import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newYorkDate } from '../../src/domain/calendar.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import { plainDecimal } from '../../src/domain/insider/identity.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { itemOf, tradesIn } from '../../src/store/trade/trades.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow } from '../flow/flow.ts';
import { type Folder, openFolder } from '../flow/folder.ts';
import { ingestInOrder, settleFlow } from '../flow/stages.ts';
import { writeInsiderDataSet } from './insider-data-set.ts';

/** Of the first quarter of 2020, with amounts of two decimals at most: sales, purchases, 4/A, four owners. */
const ACCESSIONS = [
  ...['19', '21', '22', '25', '26', '27'].map((number) => `0000814585-20-0000${number}`),
  ...['01', '07'].map((number) => `0001553350-20-0000${number}`),
  ...['000018', '000027', '000071'].map((number) => `0000807249-20-${number}`),
  ...['000554', '000999', '001161', '001249', '001561', '002234', '002786'].map((n) => `0001214659-20-${n}`),
  ...['010074', '010485', '016032', '019236'].map((number) => `0001209191-20-${number}`),
];
const SYMBOLS = ['MBI', 'HTBX', 'BATRA', 'FICO', 'HUBS'];
const AS_OF = '2020-03-31';
const NAME = '2020q1_form345';

let folder: Folder;
let empty: Folder;
let documents: Flow;
let imported: Flow;
let dataSet: string;

beforeAll(async () => {
  folder = await openFolder({ accessions: ACCESSIONS, symbols: SYMBOLS });
  empty = await openFolder({ accessions: [], symbols: SYMBOLS });
  const filings = await Promise.all(
    ACCESSIONS.map(async (accession) => parseFiling(await readFile(join(folder.dir, `${accession}.txt`)))),
  );
  dataSet = join(folder.dir, NAME);
  await writeInsiderDataSet(
    dataSet,
    filings.filter((filing): filing is Ownership => filing.kind === 'ownership'),
  );
  documents = await openFlow(folder, AS_OF);
  await ingestInOrder(documents, { accessions: ACCESSIONS, reference: 'first', settleEvery: 100 });
  imported = await openFlow(empty, AS_OF);
  await ingestInOrder(imported, { accessions: [], reference: 'first', settleEvery: 1 });
}, 300_000);

afterAll(async () => {
  for (const flow of [documents, imported]) await flow?.close();
  for (const one of [folder, empty]) await one?.close();
});

const backfill = async (...options: string[]) => {
  const run = await tidemark(imported.world, 'backfill', 'form4', '--file', dataSet, '--json', ...options);
  return { code: run.code, summaries: JSON.parse(run.stdout) as Record<string, unknown>[] };
};

/** A filing of a data set is known to the day in New York, and its amounts are printed otherwise. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return plainText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

function plainText(text: string): string {
  if (/^-?\d+\.\d+$/.test(text)) return plainDecimal(text);
  return /^\d{4}-\d{2}-\d{2}T.*Z$/.test(text) ? newYorkDate(new Date(text)) : text;
}

async function tradesOf(db: Db) {
  const trades = await tradesIn(db)
    .find({ item: { $ne: null } })
    .sort({ _id: 1 })
    .toArray();
  return trades.map(({ item, version: _version, digest: _digest, order: _order, ...fields }) => ({
    ...fields,
    item: plain(itemOf(item ?? '')),
  }));
}

/** What a brief says of insiders. */
async function insidersOf(db: Db, ticker: string): Promise<unknown> {
  const { body } = await currentBrief(db, ticker as never, () => new Date());
  const { data } = JSON.parse(body.toString()) as { data: { insiders: unknown; entity: unknown } };
  return plain({ insiders: data.insiders, entity: data.entity });
}

test('the same quarter by documents and by data set gives the same trades and briefs', async () => {
  expect(await backfill()).toMatchObject({
    code: 0,
    summaries: [{ dataSet: NAME, complete: true, filings: ACCESSIONS.length, failures: [], strays: [] }],
  });
  await settleFlow(imported);
  const trades = await tradesOf(imported.db);
  expect(trades.length).toBeGreaterThan(50);
  expect(trades).toEqual(await tradesOf(documents.db));
  for (const ticker of SYMBOLS)
    expect(await insidersOf(imported.db, ticker)).toEqual(await insidersOf(documents.db, ticker));
});

test('an imported filing has the day alone, no bytes and no event', async () => {
  const filings = await filingsIn(imported.db).find().toArray();
  expect(filings).toHaveLength(ACCESSIONS.length);
  for (const filing of filings) {
    expect(filing).toMatchObject({ raw: [], parsedRaw: null, event: 'none', derive: 'done', dataSet: NAME });
    expect(filing.publishedAt).toEqual({ value: filing.filedDate, precision: 'day' });
  }
  expect(await eventsIn(imported.db).countDocuments()).toBe(0);
});

test('the same data set again changes nothing, and to resume it does nothing', {
  tags: ['long'],
}, async () => {
  await backfill();
  await settleFlow(imported);
  const before = await tradesOf(imported.db);
  expect(before.length).toBeGreaterThan(50);
  expect(await backfill()).toMatchObject({ code: 0, summaries: [{ filings: ACCESSIONS.length, known: 0 }] });
  await settleFlow(imported);
  expect(await tradesOf(imported.db)).toEqual(before);
  expect(await backfill('--resume')).toMatchObject({ code: 0, summaries: [{ complete: true }] });
});
