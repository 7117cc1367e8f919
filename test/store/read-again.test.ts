import type { Db } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import { replaceReading } from '../../jobs/parse.ts';
import { compareReports } from '../../src/derive/report/compare-reports.ts';
import { invalidateFilingFollowers } from '../../src/derive/report/filing-followers.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import { sampleFiling } from '../../src/domain/filing/filing.sample.ts';
import { PARSER_OF_13F } from '../../src/domain/filing/filing.ts';
import type { Accession, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import type { Brief } from '../../src/domain/wire/brief.ts';
import { loadBriefInput, showBrief } from '../../src/read/brief/brief.ts';
import { type FilingDoc, filingsIn, reportKeyOf } from '../../src/store/filing/filings.ts';
import { writeRows } from '../../src/store/filing/rows.ts';
import { noteReparsed, publishAsOf } from '../../src/store/filing/settings.ts';
import { knownVersion, listPending, versioningOf } from '../../src/store/invalidation/invalidation.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { apple, cik, LATEST, PRIOR, publish, seedSymbols } from '../api/stock-corpus.ts';
import { parsedDoc } from '../filings/doc.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { interruptedDb } from './interrupted.ts';

const AAPL = 'AAPL' as Ticker;
const IMPORTED = { parserVersion: '13f-tsv-1', retrievedAt: '2018-11-20T12:00:00.000Z' };
const DOCUMENT = { parserVersion: '13f-1', retrievedAt: '2018-11-21T12:00:00.000Z' };
const AT = '2018-11-30T12:00:00.000Z';

const world = opened(openWorld);
let db: Db;
beforeAll(async () => {
  db = world.mongo.db;
  await ensureIndexes(db);
  await seedSymbols(db);
  await publishAsOf(db, '2018-11-30' as IsoDate);
});

const accessionOf = (quarterEnd: QuarterEnd, n = 1) =>
  `000000000${n}-18-00000${quarterEnd === PRIOR ? 1 : 2}` as Accession;

async function filing(quarterEnd: QuarterEnd, n = 1): Promise<FilingDoc> {
  const doc = await filingsIn(db).findOne({ _id: accessionOf(quarterEnd, n) });
  if (doc === null) throw new Error('not filed');
  return doc;
}

/** A report of a manager, imported without its document. */
async function file(quarterEnd: QuarterEnd, amount: bigint, n = 1): Promise<void> {
  const rows = [apple(amount, amount / 5n)];
  const accession = accessionOf(quarterEnd, n);
  const filedDate = quarterEnd === LATEST ? '2018-11-14' : '2018-08-14';
  const filed = sampleFiling({ cik: cik(n), quarterEnd, accession, filedDate, rows });
  const stored = await writeRows(db, { accession, source: 'p1' }, rows);
  await filingsIn(db).insertOne(parsedDoc(filed, { rows: stored, ...IMPORTED, derive: 'pending' }));
  await followed(quarterEnd, { n });
}

/** Its filing is read to the same rows, and all that follows is computed as the jobs do. */
async function readAgain(quarterEnd: QuarterEnd, fields: Partial<FilingDoc>, { n = 1, computing = db } = {}) {
  await replaceOnly(quarterEnd, fields, n);
  await followed(quarterEnd, { n, computing });
}

async function replaceOnly(quarterEnd: QuarterEnd, fields: Partial<FilingDoc>, n: number): Promise<void> {
  const before = await filing(quarterEnd, n);
  const { rows } = before;
  expect(await replaceReading(db, before, { rows, derive: 'pending', ...fields })).toBe(true);
}

async function followed(quarterEnd: QuarterEnd, { n = 1, computing = db } = {}): Promise<void> {
  await invalidateFilingFollowers(db, [await filing(quarterEnd, n)]);
  await compareAll(computing);
}

async function compareAll(computing = db): Promise<void> {
  for (let left = await listPending(db, 'report', 10); left.length > 0; ) {
    await compareReports(
      computing,
      left.map((one) => ({ ...versioningOf(one), key: reportKeyOf(one.key) })),
    );
    left = await listPending(db, 'report', 10);
  }
}

/** The filings of the next brief, whether its holders are known or not: how and when they were read. */
async function cited(): Promise<Record<string, unknown[]>> {
  const version = (await knownVersion(db, 'brief', AAPL)) ?? 0;
  const { brief } = await showBrief(db, AAPL, { version, at: AT });
  const input = await loadBriefInput(db, AAPL, AT);
  const fromNothing = buildBrief(input);
  expect(brief.briefId).toBe(fromNothing.brief_id);
  const { data } = JSON.parse(Buffer.from(brief.body).toString()) as { data: Brief };
  expect(data.evidence).toEqual(fromNothing.evidence);
  const sources = [...input.evidence.values()];
  return Object.fromEntries(
    sources.map((one) => [one.accession, [one.parserVersion, one.rawHash, one.retrievedAt]]),
  );
}

const bytes = (digit: string) => ({ parsedRaw: digit.repeat(64), raw: [digit.repeat(64)] });
const asRead = (of: typeof IMPORTED, digit?: string): unknown[] => {
  const rawHash = digit === undefined ? null : `sha256:${digit.repeat(64)}`;
  return [of.parserVersion, rawHash, of.retrievedAt];
};
const digests = async () =>
  (await reportsIn(db).find().sort({ _id: 1 }).toArray()).map(({ digest }) => digest);

test('the document of an imported report is cited by the briefs of its quarter and of the next one', async () => {
  await publish(db, { latestReportedQuarterEnd: PRIOR });
  await file(PRIOR, 1_000n);
  expect(await cited()).toEqual({ [accessionOf(PRIOR)]: asRead(IMPORTED) });
  await readAgain(PRIOR, { ...DOCUMENT, ...bytes('a') });
  expect(await cited()).toEqual({ [accessionOf(PRIOR)]: asRead(DOCUMENT, 'a') });
  await publish(db);
  await file(LATEST, 2_000n);
  const both = { [accessionOf(PRIOR)]: asRead(DOCUMENT, 'a'), [accessionOf(LATEST)]: asRead(IMPORTED) };
  expect(await cited()).toEqual(both);
  await readAgain(LATEST, { ...DOCUMENT, ...bytes('b') });
  expect(await cited()).toEqual({ ...both, [accessionOf(LATEST)]: asRead(DOCUMENT, 'b') });
});

test('so is another parser, also where it reads the same rows', async () => {
  const before = await digests();
  const last = { ...DOCUMENT, parserVersion: '13f-2' };
  await noteReparsed(db, AT);
  await readAgain(LATEST, { parserVersion: '13f-2' });
  const own = { [accessionOf(LATEST)]: asRead(last, 'b') };
  expect(await cited()).toEqual({ ...own, [accessionOf(PRIOR)]: asRead(DOCUMENT, 'a') });
  await readAgain(PRIOR, { parserVersion: '13f-2' });
  expect(await cited()).toEqual({ ...own, [accessionOf(PRIOR)]: asRead(last, 'a') });
  // How and when it was read is no content of a report.
  expect(await digests()).toEqual(before);
});

test('and after a crash of the worker that had shown the report', async () => {
  const dying = interruptedDb(db, {
    before: async ({ collection, name }) => {
      if (collection === 'invalidations' && name.startsWith('update')) throw new Error('died');
    },
  });
  const last = { ...DOCUMENT, parserVersion: '13f-3' };
  await expect(readAgain(LATEST, { parserVersion: '13f-3' }, { computing: dying })).rejects.toThrow('died');
  await compareAll();
  expect(await cited()).toMatchObject({ [accessionOf(LATEST)]: asRead(last, 'b') });
});

test('nor does a brief that was built before its report was compared leave the reading before to later ones', async () => {
  await publish(db, { latestReportedQuarterEnd: PRIOR });
  await file(PRIOR, 500n, 2);
  await readAgain(PRIOR, { ...DOCUMENT, ...bytes('c'), parserVersion: '13f-2' }, { n: 2 });
  await noteReparsed(db, '2018-11-30T11:00:00.000Z');
  await replaceOnly(PRIOR, { parserVersion: PARSER_OF_13F }, 2);
  await cited();
  await followed(PRIOR, { n: 2 });
  await publish(db);
  // Unchanged: no change that is on display.
  await file(LATEST, 500n, 2);
  const last = { ...DOCUMENT, parserVersion: PARSER_OF_13F };
  expect(await cited()).toMatchObject({ [accessionOf(PRIOR, 2)]: asRead(last, 'c') });
});
