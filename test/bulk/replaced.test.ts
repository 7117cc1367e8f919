// @module-tag long

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import { enqueuePendingFilings } from '../../jobs/pending/filings.ts';
import type { Ownership, ParsedFiling, ThirteenF } from '../../src/domain/filing/filing.ts';
import type { Accession, IsoDate } from '../../src/domain/ids.ts';
import { EdgarError } from '../../src/edgar/error.ts';
import { parseFiling } from '../../src/forms/index.ts';
import { wantDocuments } from '../../src/store/filing/claims.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { tidemark } from '../cli/tidemark.ts';
import { type Flow, openFlow, openStages } from '../flow/flow.ts';
import { shownIn } from '../flow/shown.ts';
import { AS_OF, FORM4, ORDER, openSmallCorpus } from '../flow/small-corpus.ts';
import { ingestInOrder, settleFlow } from '../flow/stages.ts';
import { opened } from '../opened.ts';
import { writeDataSet } from './data-set-folder.ts';
import { writeInsiderDataSet } from './insider-data-set.ts';

const AT = '2018-11-30T12:00:00.000Z';
/** A Form 4 whose prices have three decimals, which the data set rounds. */
const MUSK = FORM4[0] as Accession;
const ALL = ORDER as Accession[];

const folder = opened(openSmallCorpus);
let documents: Flow;
let imported: Flow;

beforeAll(async () => {
  documents = await openFlow(folder, AS_OF);
  await ingestInOrder(documents, { accessions: ORDER, reference: 'first', settleEvery: 100 });
  const filings: ParsedFiling[] = await Promise.all(
    ORDER.map(async (accession) => parseFiling(await readFile(join(folder.dir, `${accession}.txt`)))),
  );
  const sets = { '13f': join(folder.dir, '2018q4_form13f'), form4: join(folder.dir, '2018q4_form345') };
  await writeDataSet(
    sets['13f'],
    filings.filter((filing): filing is ThirteenF => filing.kind === 'thirteen_f'),
  );
  await writeInsiderDataSet(
    sets.form4,
    filings.filter((filing): filing is Ownership => filing.kind === 'ownership'),
  );
  imported = await openFlow(folder, AS_OF);
  for (const [kind, path] of Object.entries(sets))
    expect((await tidemark(imported.world, 'backfill', kind, '--file', path)).code).toBe(0);
  // The daily indexes list the filings too: they are known.
  await ingestInOrder(imported, { accessions: [], reference: 'first', settleEvery: 1 });
}, 300_000);

afterAll(async () => {
  for (const flow of [documents, imported]) await flow?.close();
});

async function filing(_id: Accession): Promise<FilingDoc | null> {
  return filingsIn(imported.db).findOne({ _id });
}

/** Fetches, and passes on what changed, as dispatch does. */
async function fetchAll(accessions: readonly Accession[]): Promise<void> {
  const { context, close } = await openStages(imported);
  try {
    for (const accession of accessions) {
      await JOBS.fetch(context, { accession, filedDate: AS_OF as IsoDate, run: 0 });
      await JOBS.parse(context, { accession, filedDate: AS_OF as IsoDate, run: 0 });
    }
  } finally {
    await close();
  }
}

test('a document that nobody asked for is not fetched', async () => {
  await fetchAll([MUSK]);
  expect(await filing(MUSK)).toMatchObject({ dataSet: '2018q4_form345', raw: [] });
});

test('dispatch enqueues wanted documents, newest first; the import stands until they are read', async () => {
  expect(await wantDocuments(imported.db, ALL, AT)).toBe(ALL.length);
  const { context, close } = await openStages(imported);
  try {
    await enqueuePendingFilings(context);
    expect(await context.producer.load(['fetch'])).toBe(ALL.length);
    await context.producer.clear(['fetch']);
  } finally {
    await close();
  }
  expect(await filing(MUSK)).toMatchObject({ state: 'parsed', dataSet: '2018q4_form345' });
});

test('a document that cannot be read leaves the import as it is, with the reason', async () => {
  const text = await readFile(join(folder.dir, `${MUSK}.txt`), 'utf8');
  await folder.add(`${MUSK}.txt`, text.replace('<issuerCik>', '<issuerCik>x'));
  const before = await filing(MUSK);
  await fetchAll([MUSK]);
  await folder.add(`${MUSK}.txt`, text);
  const after = await filing(MUSK);
  expect(after).toMatchObject({ state: 'parsed', content: before?.content, dataSet: before?.dataSet });
  expect(after?.quarantine).toMatchObject({ code: 'schema_invalid' });
  expect(after?.documentWanted).toBeUndefined();
  expect(after?.raw).toHaveLength(1);
});

test('a document that EDGAR does not have is given up after an hour, when it is an old one; the import stands', async () => {
  await wantDocuments(imported.db, [MUSK], AT);
  const { context, close } = await openStages(imported);
  const missing = async (): Promise<never> => {
    throw new EdgarError('edgar_not_found', 'not there (yet)', { retry: true });
  };
  const edgar = { ...context.edgar, fetchSubmission: missing };
  const fetchAt = (time: string): Promise<void> =>
    JOBS.fetch({ ...context, edgar, now: () => new Date(time) }, { accession: MUSK, run: 0 });
  try {
    await expect(fetchAt('2018-12-10T12:00:00Z')).rejects.toMatchObject({ code: 'edgar_not_found' });
    await expect(fetchAt('2018-12-10T12:59:00Z')).rejects.toMatchObject({ code: 'edgar_not_found' });
    expect(await filing(MUSK)).toMatchObject({ documentWanted: true, quarantine: null, tries: 0 });
    await fetchAt('2018-12-10T13:01:00Z');
  } finally {
    await close();
  }
  const given = await filing(MUSK);
  expect(given).toMatchObject({ state: 'parsed', quarantine: { code: 'edgar_not_found' } });
  expect(given?.documentWanted).toBeUndefined();
  const { stdout } = await tidemark(imported.world, 'failures', 'list', '--code', 'edgar_not_found');
  expect(stdout).toContain(MUSK);
});

test('with their documents imported filings are as if they had never been imported', async () => {
  await wantDocuments(imported.db, [MUSK], AT);
  await fetchAll(ALL);
  await settleFlow(imported);
  const filings = await filingsIn(imported.db).find().toArray();
  expect(filings).toHaveLength(ALL.length);
  for (const one of filings) {
    expect([one.dataSet, one.documentWanted, one.quarantine]).toEqual([undefined, undefined, null]);
    expect(one.parsedRaw).toBe(one.raw.at(-1));
  }
  expect(await shownIn(imported.db)).toEqual(await shownIn(documents.db));
});

test('history makes no event, neither imported nor fetched', async () => {
  expect(await eventsIn(imported.db).countDocuments()).toBe(0);
});
