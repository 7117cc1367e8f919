import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { refreshLeaderboard } from '../../src/derive/leaderboard/writer.ts';
import type { EvidenceRecord } from '../../src/domain/brief/evidence.ts';
import { ALGORITHM_VERSION, type BriefSummary } from '../../src/domain/brief/manifest.ts';
import { sampleFiling } from '../../src/domain/filing/filing.sample.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { type EventDoc, eventsIn } from '../../src/store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { saveBrief } from '../../src/store/publish/briefs.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { setCurrentBrief } from '../../src/store/publish/current-briefs.ts';
import { saveEvidence } from '../../src/store/publish/evidence.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import {
  holdingPages,
  holdingTexts,
  insertHoldings,
  type StoredHolding,
} from '../../src/store/report/holdings.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
import { parsedDoc } from '../filings/doc.ts';

/** Berkshire's CIK; the numbers are made up, the shapes are those of the store. */
export const FUND = '0001067983' as Cik;
/** Files only notices. */
export const NOTICE_FUND = '0000000042' as Cik;
const QUARTER = '2018-09-30' as QuarterEnd;
const ORIGINAL = '0000950123-18-011885' as Accession;
const RESTATED = '0000950123-18-012000' as Accession;

export const ROWS = 7;

/** One fund with an amended report of seven rows, one that files notices, a hundred events, a brief. */
export async function seed(db: Db): Promise<void> {
  await publishAsOf(db, '2018-11-30' as IsoDate);
  await seedFunds(db);
  const rows = Array.from({ length: ROWS }, (_, at) => holding(at));
  const report = reportDoc(FUND, { state: 'holdings', rowTotal: ROWS, pageCount: 1, holdingsCount: 6 });
  await insertHoldings(db, holdingPages(report, holdingTexts(rows)));
  await reportsIn(db).insertMany([
    report,
    reportDoc(NOTICE_FUND, {
      state: 'notice',
      reportType: 'notice',
      reportedBy: [{ name: 'Parent LLC', cik: FUND, form13fFileNumber: '028-04545', sequence: null }],
    }),
  ]);
  await filingsIn(db).insertMany([filingDoc(ORIGINAL, false), filingDoc(RESTATED, true)]);
  await refreshLeaderboard(db, { asOf: '2018-11-30' as IsoDate, version: 0 }, '');
  await eventsIn(db).insertMany(Array.from({ length: 100 }, (_, at) => event(at + 1)));
}

async function seedFunds(db: Db): Promise<void> {
  const fund = {
    _id: FUND,
    name: 'BERKSHIRE HATHAWAY INC',
    slug: 'berkshire-hathaway-inc',
    kebab: 'berkshire-hathaway-inc',
    aumCents: 22_000_000_000_000_000n,
    latestQuarterEnd: QUARTER,
    reportedThrough: QUARTER,
    holdingsCount: 6,
    manager: null,
  };
  const small = [3, 1, 2].map((n) => ({
    ...fund,
    _id: `000000010${n}` as Cik,
    name: `Small ${n}`,
    slug: `small-${n}`,
    aumCents: 5n,
  }));
  await fundsIn(db).insertMany([...small, fund]);
}

const EVIDENCE: EvidenceRecord = {
  accession: ORIGINAL,
  kind: 'sec_13f',
  formType: '13F-HR',
  cik: FUND,
  publishedAt: { value: '2018-11-14T21:05:00Z', precision: 'second' },
  retrievedAt: '2018-11-14T21:06:00.000Z',
  parserVersion: 'p1',
  rawHash: `sha256:${'0'.repeat(64)}`,
  rows: [1, 7],
};

export const SUMMARY: BriefSummary = {
  facts_id: `facts_${'0'.repeat(64)}`,
  as_of: '2018-11-30',
  outcome: 'complete',
  stances: { institutional: 'net_increases', insiders: 'none_found' },
};

export function seededBriefId(ticker: string, text: string): string {
  return `ccm_${createHash('sha256').update(`${ticker}-${text}`).digest('hex')}`;
}

export async function seedBrief(db: Db, ticker: string, text: string, version = 1): Promise<string> {
  const briefId = seededBriefId(ticker, text);
  const body = Buffer.from(JSON.stringify({ data: { brief_id: briefId, text: text.repeat(200) } }));
  const generatedAt = '2018-11-30T00:00:00.000Z';
  const evidence = await saveEvidence(db, [EVIDENCE]);
  await saveBrief(db, {
    _id: briefId,
    ticker: ticker as Ticker,
    body,
    evidence,
    generatedAt,
    summary: { ...SUMMARY, facts_id: briefId.replace('ccm', 'facts') },
  });
  await setCurrentBrief(db, {
    _id: ticker as Ticker,
    briefId,
    version,
    corpus: (await publishedCorpus(db))?.briefVersion ?? 0,
    algorithm: ALGORITHM_VERSION,
    at: generatedAt,
    managersObserved: 1,
    lane: 'backfill',
  });
  return briefId;
}

function holding(at: number): StoredHolding {
  const exited = at === ROWS - 1;
  return {
    cusip: `03783310${at}` as Cusip,
    issuer: `ISSUER ${at}`,
    shares: exited ? '0' : String(1_000 - at),
    value_cents: exited ? '0' : String(100_000 - at),
    change_type: exited ? 'EXITED' : 'ADDED',
    share_delta: exited ? '-10' : '10',
    pct_delta: exited ? -100 : 1.5,
    prior_shares: '10',
    prior_value_cents: '100',
    weight_pct: 1.25,
    quality: { status: 'clear', reasons: [] },
    evidence_ids: [`sec:13f:${RESTATED}`],
  };
}

function reportDoc(cik: Cik, rest: Partial<ReportDoc>): ReportDoc {
  const publishedAt = { value: '2018-11-14T21:05:00Z', precision: 'second' as const };
  const filedDate = '2018-11-14' as IsoDate;
  const original = { accession: ORIGINAL, form: '13F-HR', filedDate, publishedAt, amendmentType: null };
  const restated = {
    ...original,
    accession: RESTATED,
    form: '13F-HR/A',
    amendmentType: 'restatement' as const,
  };
  return {
    _id: `${cik}|${QUARTER}`,
    cik,
    quarterEnd: QUARTER,
    version: 1,
    edition: 1,
    digest: 'v1',
    filed: { digest: 'v1', followersInvalidated: true },
    previous: [],
    followersInvalidated: true,
    state: 'holdings',
    reportType: 'holdings',
    managerName: 'A MANAGER',
    filings: [
      { ...original, role: 'superseded', scaleCents: 100n },
      { ...restated, role: 'base', scaleCents: 100n },
    ],
    evidence: [],
    newest: { ...restated, role: 'base', scaleCents: 100n },
    isAmended: true,
    confidentialOmitted: false,
    reportedBy: [],
    includes: [{ name: 'Included LLC', cik: null, form13fFileNumber: '028-1', sequence: 1 }],
    priorQuarterEnd: '2018-06-30' as QuarterEnd,
    priorAccessions: [],
    comparable: true,
    quality: { status: 'clear', reasons: [] },
    reasons: [],
    rowTotal: 0,
    pageCount: 0,
    holdingsCount: 0,
    aumCents: 22_000_000_000_000_000n,
    reportedValueCents: 22_000_000_000_000_001n,
    optionRows: 2,
    optionValueCents: 5n,
    principalRows: 0,
    principalValueCents: 0n,
    publishedAt,
    ...rest,
  };
}

function filingDoc(accession: Accession, isAmendment: boolean): FilingDoc {
  const filing = sampleFiling({
    accession,
    filedDate: isAmendment ? '2018-11-20' : '2018-11-14',
    cik: FUND,
    managerName: 'BERKSHIRE HATHAWAY INC',
    quarterEnd: QUARTER,
    amendmentNumber: isAmendment ? 1 : null,
    amendmentType: isAmendment ? 'restatement' : null,
    confidentialOmitted: false,
    form13fFileNumber: '028-04545',
    declaredEntryTotal: 7,
    declaredValueTotal: 220_000_000n,
  });
  const doc = parsedDoc(filing, {
    parserVersion: 'p1',
    publishedAt: { value: `${filing.header.filedDate}T21:05:00Z`, precision: 'second' },
    rows: { source: 'p1', pages: 1, count: 7 },
  });
  const { content } = doc;
  if (content?.kind !== 'thirteen_f') throw new Error('not a 13F');
  return { ...doc, content: { ...content, holdingsCount: 6, valueCents: 22_000_000_000_000_001n } };
}

/** Odd seqs are Form 4 of AAPL, every tenth is a 4/A of BRK.B, the rest Form 4 of MSFT. */
function event(seq: number): EventDoc {
  const amended = seq % 10 === 0;
  return {
    _id: seq,
    accession: `0000320193-18-${String(seq).padStart(6, '0')}` as Accession,
    form: amended ? '4/A' : '4',
    ticker: amended ? 'BRK.B' : seq % 2 === 1 ? 'AAPL' : 'MSFT',
    issuer: 'An Issuer',
    issuerCik: null,
    reportingOwnerCiks: [],
    filedAt: '2018-11-14T21:05:00Z',
    sourceUrl: 'https://www.sec.gov/Archives/edgar/data/320193/',
  };
}
