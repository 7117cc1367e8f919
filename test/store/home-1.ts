import { Binary, type Db, type Document } from 'mongodb';
import type { FilingDoc } from '../../src/store/filing/filings.ts';
import { keepRaw } from '../../src/store/filing/raw.ts';
import { writeRows } from '../../src/store/filing/rows.ts';
import { discoveredDoc, parsedDoc } from '../filings/doc.ts';
import { filingBytes, ownershipOf, thirteenFOf } from '../filings/read.ts';

const THIRTEEN_F = '13f/0000950123-18-011885.txt';
const FORM_4 = 'form-4/0001214659-20-002786.txt';
const AT = '2018-11-15T12:00:00.000Z';
const ORG = 'abcdefghijkl';

/** A home as store version 1 has it: a parsed 13F, a parsed Form 4, one that waits and one in quarantine. */
export async function seedHome1(db: Db): Promise<{ readonly filings: readonly FilingDoc[] }> {
  const filings = await filingsOf(db);
  await insert(db, 'filings', filings.map(asVersion1));
  await insert(db, 'events', EVENTS);
  for (const [name, docs] of Object.entries({ ...KEPT, ...DERIVED, securities: SECURITIES }))
    await insert(db, name, docs);
  await db
    .collection('filings')
    .createIndex({ cik: 1, 'thirteenF.quarterEnd': -1 }, { name: 'fund_history' });
  await db.collection('events').createIndex({ ownerCiks: 1, _id: 1 }, { name: 'by_owner' });
  return { filings };
}

async function filingsOf(db: Db): Promise<FilingDoc[]> {
  const thirteenF = thirteenFOf(THIRTEEN_F);
  const { accession } = thirteenF.header;
  const raw = await keepRaw(db, filingBytes(THIRTEEN_F), { url: 'u', fetchedAt: AT, etag: null });
  const rows = await writeRows(db, { accession, source: `13f-2|${raw.slice(0, 16)}` }, thirteenF.rows);
  const quarantine = { code: 'truncated', reason: 'no end', at: AT };
  return [
    parsedDoc(thirteenF, { rows, raw: [raw], parsedRaw: raw, fence: 2 }),
    parsedDoc(ownershipOf(FORM_4), { event: 'published', seq: 1, fence: 2 }),
    discoveredDoc('0000950123-18-000001' as never, '13F-HR'),
    { ...discoveredDoc('0000950123-18-000002' as never, '4'), state: 'quarantined', quarantine, tries: 0 },
  ];
}

/** The same filing with a field for each form, as version 1 stored it. */
function asVersion1(filing: FilingDoc): Document {
  const { leg: _leg, followers: _followers, content, rows, tries, reportingOwnerCiks, ...kept } = filing;
  const shared = { ...kept, attempt: tries, ownerCiks: reportingOwnerCiks };
  if (content?.kind === 'thirteen_f' && rows !== null) {
    const { kind: _kind, ...cover } = content;
    const table = { rowCount: rows.count, rowPages: rows.pages, rowsVersion: rows.source };
    return { ...shared, thirteenF: { ...cover, ...table }, ownership: null };
  }
  if (content?.kind !== 'ownership') return { ...shared, thirteenF: null, ownership: null };
  const { isAmendment, ...ownership } = content;
  return { ...shared, thirteenF: null, ownership: { ...ownership, form: isAmendment ? '4/A' : '4' } };
}

const EVENTS: Document[] = [
  { _id: 1, accession: '0001214659-20-002786', form: '4', ticker: 'FICO', ownerCiks: ['0001214659'] },
  { _id: 2, accession: '0001214659-20-002787', form: '4', ticker: 'GM', ownerCiks: [] },
];

const KEPT: Record<string, Document[]> = {
  keys: [{ _id: 'abcdefgh', digest: 'd', orgId: ORG, label: 'l', lastUsedAt: null, revokedAt: null }],
  organizations: [{ _id: ORG, name: 'ORG', epoch: 1, createdAt: AT }],
  grants: [{ _id: `${ORG}|000000001`, orgId: ORG, g: 1, amount: 5, reason: 'r', at: AT }],
  vouchers: [{ _id: 'v', digest: 'd', credits: 5, state: 'open', createdAt: AT, orgId: null }],
  watchlists: [{ _id: ORG, tickers: ['AAPL'], ciks: [], updatedAt: AT }],
  settings: [
    { _id: 'as_of', value: '2018-11-30' },
    { _id: 'key_pepper', value: 'p' },
  ],
  index_days: [{ _id: '2018-11-14', status: 'reconciled', carried: 2, selection: false, at: AT }],
  imports: [{ _id: 'company_tickers', sha256: 'f'.repeat(64), at: AT }],
  listed_securities: [{ _id: '037833100|2018-09-30', cusip: '037833100', kind: 'security' }],
};

const listed = { kind: 'cik', source: 'company_tickers', validFrom: null, validTo: null };
const stated = { kind: 'cik', source: 'form4', symbol: 'AAPL', bare: 'AAPL', cusip: null, issuer: null };
const failed = { kind: 'cusip', source: 'fails_to_deliver', symbol: 'AAPL', bare: 'AAPL', cik: null };
const APPLE = { cusip: '037833100', issuer: '037833', name: 'APPLE INC', confidence: 0.95 };
const on = (from: string, to = from) => ({ sourceDate: to, validFrom: from, validTo: to });
const FORM = { ...stated, cik: '0000320193', confidence: 0.85 };

/** A document for each form and file, as version 1 stored what they state. */
export const SECURITIES: Document[] = [
  { _id: 'company_tickers|AAPL|0000320193', ...listed, symbol: 'AAPL', bare: 'AAPL', cik: '0000320193' },
  { _id: 'form4|0000000001-18-000001|AAPL', ...FORM, name: 'APPLE INC', ...on('2018-01-02') },
  { _id: 'form4|0000000001-18-000002|AAPL', ...FORM, name: 'APPLE INC', ...on('2018-01-02') },
  { _id: 'form4|0000000001-18-000003|AAPL', ...FORM, name: 'APPLE INC', ...on('2018-11-20') },
  { _id: 'form4|0000000001-18-000004|AAPL', ...FORM, name: 'Apple Computer', ...on('2018-03-01') },
  { _id: 'cnsfails201801a|AAPL|037833100', ...failed, ...APPLE, ...on('2018-01-02', '2018-01-12') },
  { _id: 'cnsfails201811b|AAPL|037833100', ...failed, ...APPLE, ...on('2018-11-16', '2018-11-29') },
];

/** Documents whose shape today's readers do not understand. */
const DERIVED: Record<string, Document[]> = {
  dirty: [
    { _id: 'brief|AAPL', kind: 'brief', key: 'AAPL', generation: 7, pending: false, at: AT },
    { _id: 'report|0001067983|2018-09-30', kind: 'report', key: '0001067983|2018-09-30', generation: 2 },
  ],
  reports: [
    { _id: '0001067983|2018-09-30', cik: '0001067983', quarterEnd: '2018-09-30', rev: 3, version: 'v' },
  ],
  positions: [{ _id: '07d|2018-09-30|0001067983|v', slice: '07d|2018-09-30', rows: '[["037833100","1"]]' }],
  holdings: [{ _id: '0001067983|2018-09-30|v|0000', rows: new Binary(Buffer.from('')) }],
  filed_books: [{ _id: '3|2018-09-30|0001067983|v', slice: '3|2018-09-30', rows: '[]' }],
  funds: [{ _id: '0001067983', name: 'BERKSHIRE HATHAWAY INC', latestQuarterEnd: '2018-09-30' }],
  consensus: [{ _id: '2018-09-30', seq: 1, rev: 1, fingerprint: 'f', version: 'v' }],
  briefs: [{ _id: 'ccm_1', ticker: 'AAPL' }],
  brief_heads: [{ _id: 'AAPL', briefId: 'ccm_1', generation: 7 }],
  corpus: [{ _id: 'corpus', published: { asOf: '2018-11-30', state: {} }, at: AT, marked: true, rev: 4 }],
  progress: [{ _id: 'backfill', slot: 1, from: '2018-11-01', through: '2018-11-30', days: [], at: AT }],
  trades: [{ _id: '0001214659-20-002786:nd:1', issuerCik: '0000814547', rev: 1, hash: 'h' }],
};

/** What migration must not touch. */
export const KEPT_COLLECTIONS = [
  ...Object.keys(KEPT).filter((name) => name !== 'settings'),
  'raw',
  'raw_parts',
  'filing_rows',
];
export const DERIVED_COLLECTIONS = Object.keys(DERIVED).filter((name) => name !== 'progress');

async function insert(db: Db, name: string, docs: readonly Document[]): Promise<void> {
  await db.collection(name).insertMany([...docs]);
}
