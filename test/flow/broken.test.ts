import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PipelineStatus } from '../../src/derive/corpus/status.ts';
import { clearReferenceAlarms, referenceAlarms } from '../../src/store/filing/alarms.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { readRaw } from '../../src/store/filing/raw.ts';
import { filingBytes } from '../filings/read.ts';
import { opened } from '../opened.ts';
import { type Flow, openFlow, runPipeline } from './flow.ts';
import { corpusText, type Folder, openFolder } from './folder.ts';
import { openReader } from './reader.ts';

const SUMMER = '0000950123-18-008866';
const AUTUMN = '0000950123-18-011885';
const MUSK = '0001494730-18-000005';

/** A real fails file with 64 bytes changed in its middle: it shows only while the entry is read. */
async function flippedZip(): Promise<Buffer> {
  const bytes = await readFile(new URL('../../demo/corpus/fails/cnsfails201901a.zip', import.meta.url));
  const middle = bytes.subarray(bytes.length / 2, bytes.length / 2 + 64);
  middle.forEach((byte, at) => {
    middle[at] = 255 - byte;
  });
  return bytes;
}

let folder: Folder;
let flow: Flow;
let status: PipelineStatus;
let broken: Record<string, { readonly code: string; readonly bytes: Buffer }>;

/** Inputs that cannot be read, by accession, each with the code that it must be quarantined with. */
async function brokenInputs(): Promise<typeof broken> {
  const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
  const page = await readFile(new URL('../edgar/fixtures/getcurrent-05100-503.html', import.meta.url));
  const greenlight = await corpusText('0001079114-18-000013');
  const purchase = await corpusText(MUSK);
  const entity = '<!DOCTYPE x [<!ENTITY a "aaaa">]>\n<ownershipDocument>';
  return {
    // A real report whose transfer was cut in half.
    '0001079114-18-000013': { code: 'truncated', bytes: latin1(greenlight.slice(0, greenlight.length / 2)) },
    // A real error page of EDGAR under the name of a filing.
    '0001079114-18-000009': { code: 'not_a_submission', bytes: page },
    // A real Form 4 whose XML a page break of its time cut apart.
    '0001225259-06-000003': {
      code: 'malformed_xml',
      bytes: Buffer.from(filingBytes('form-4/0001225259-06-000003.txt')),
    },
    // A real Form 4 under the number of another.
    '0001494730-18-000099': { code: 'accession_mismatch', bytes: latin1(purchase) },
    // The same with a document type that declares an entity.
    '0001494730-18-000098': {
      code: 'doctype_refused',
      bytes: latin1(purchase.replaceAll(MUSK, '0001494730-18-000098').replace('<ownershipDocument>', entity)),
    },
    '0001494730-18-000097': { code: 'not_a_submission', bytes: Buffer.alloc(0) },
  };
}

beforeAll(async () => {
  broken = await brokenInputs();
  folder = await openFolder({ accessions: [SUMMER, AUTUMN, MUSK], symbols: ['AAPL', 'TSLA'] });
  for (const [accession, { bytes }] of Object.entries(broken)) await folder.add(`${accession}.txt`, bytes);
  // Half a fails file has no trailer with the count of its rows.
  await folder.add(
    'cnsfails201811a.txt',
    'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE\n',
  );
  await folder.add('cnsfails201811b.zip', await flippedZip());
  await folder.add('cnsfails201812a.zip', '');
  await folder.add('lists/13flist2018q3.txt', 'cut');
  flow = await openFlow(folder, '2018-11-30');
  status = await runPipeline(flow);
}, 300_000);
const reader = opened(() => openReader(flow));

afterAll(async () => {
  await flow?.close();
  await folder?.close();
});

describe('input that cannot be read', () => {
  test('is set aside and counted, and everything else goes on', () => {
    expect(status).toMatchObject({ quarantined: 6, filings_13f: 2, filings_form4: 1, events: 1, done: true });
  });

  test('has its own reason for each', async () => {
    const docs = await filingsIn(flow.db).find({ state: 'quarantined' }).toArray();
    const found = Object.fromEntries(docs.map((doc) => [doc._id, doc.quarantine?.code]));
    expect(found).toEqual(
      Object.fromEntries(Object.entries(broken).map(([accession, { code }]) => [accession, code])),
    );
    for (const doc of docs) expect(doc.quarantine?.reason).toContain(doc.quarantine?.code);
  });

  test('is kept as it was fetched, under its SHA-256', async () => {
    for (const [accession, { bytes }] of Object.entries(broken)) {
      const doc = await filingsIn(flow.db).findOne({ _id: accession as never });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(doc?.raw).toEqual([sha256]);
      expect((await readRaw(flow.db, sha256)).equals(bytes)).toBe(true);
    }
  });

  test('is excluded from all figures of a brief, and the brief says so', async () => {
    const { body } = await reader.get('/stocks/AAPL/capital-change-brief');
    const { institutional, coverage } = body.data;
    expect(institutional.changes).toMatchObject([{ action: 'added', share_delta: '522902' }]);
    expect(coverage.thirteen_f.status).toBe('partial');
    expect(coverage.form4.status).toBe('partial');
    // Input that is not known to be a Form 4 is listed as 13F: the page, the cut report, the empty file.
    // The Form 4 of 2006 could not count in 2018.
    expect(coverage.limitations).toEqual(
      expect.arrayContaining([
        '3 13F filings could not be parsed and are excluded from all figures.',
        '2 Form 4 filings could not be parsed and are excluded from all figures.',
      ]),
    );
  });

  test('does not hold back the insider leg of a good filing', async () => {
    const { body } = await reader.get('/stocks/TSLA/capital-change-brief');
    expect(body.data.insiders.counts).toMatchObject({ buys: 8, distinct_buyers: 1 });
  });
});

describe('a damaged reference file', () => {
  test('is skipped, and the others are used', async () => {
    const { body } = await reader.get('/stocks/AAPL/capital-change-brief');
    expect(body.data.entity).toMatchObject({ cusip: '037833100' });
  });

  test('is an alarm until a run can read it (rule 10.8)', async () => {
    const alarms = await referenceAlarms(flow.db);
    expect(alarms.map(({ name, reason }) => [name, reason])).toEqual(
      ['13flist2018q3.txt', 'cnsfails201811a.txt', 'cnsfails201811b.zip', 'cnsfails201812a.zip'].map(
        (name) => [name, 'edgar_malformed'],
      ),
    );
    await clearReferenceAlarms(flow.db, new Date(Date.parse(alarms[0]?.at ?? '') + 60_000));
    expect(await referenceAlarms(flow.db)).toEqual([]);
  });
});
