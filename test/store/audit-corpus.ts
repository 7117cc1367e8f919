import type { Db } from 'mongodb';
import { AS_OF, corpus, form4, ISSUER } from '../../src/domain/brief/brief.sample.ts';
import { APPLE, GOOGL, SPY, sampleFiling, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../../src/domain/ids.ts';
import { allRowsOf } from '../../src/domain/insider/trades.ts';
import { changeQualityOf, type Reason } from '../../src/domain/quality/quality.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { writeRows } from '../../src/store/filing/rows.ts';
import { packVerdicts } from '../../src/store/peers/answers.ts';
import { peerVerdictsIn } from '../../src/store/peers/corporate-actions.ts';
import { publishCorpus } from '../../src/store/publish/corpus.ts';
import {
  holdingPages,
  holdingTexts,
  insertHoldings,
  type StoredHolding,
} from '../../src/store/report/holdings.ts';
import { type ReportDoc, reportsIn } from '../../src/store/report/reports.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { contentOf } from '../../src/store/trade/trades.ts';
import { discoveredDoc, parsedDoc } from '../filings/doc.ts';
import { peersDoc } from './peers-doc.ts';
import { saveTrades } from './save-trades.ts';

/** Invented filings with a fault each; the shapes are those of the store. */
export const LATEST = '2019-12-31' as QuarterEnd;
export const EARLIER = '2019-09-30' as QuarterEnd;
export const [ONE, TWO] = ['0000000001', '0000000002'] as [Cik, Cik];
const FILED = '2020-02-14' as IsoDate;

export async function seedAudit(db: Db): Promise<void> {
  await publishCorpus(
    db,
    { asOf: AS_OF, state: corpus({ latestReportedQuarterEnd: LATEST }) },
    { at: '', before: null },
  );
  await seedFilings(db);
  await seedReport(db, { cik: ONE, quarterEnd: LATEST, reasons: ['value_unit_unverified'] }, [
    position(APPLE, 100n, 5_000n, ['split_suspected']),
    position(SPY, 10n, 3_000n),
    position(GOOGL, 0n, 0n),
  ]);
  await seedReport(
    db,
    { cik: TWO, quarterEnd: LATEST, reasons: ['identical_positions', 'shares_equal_value'] },
    [position(APPLE, 1n, 1_000n), position(SPY, 1n, 9_000_000n, ['implied_price_outlier'])],
  );
  await seedReport(db, { cik: ONE, quarterEnd: EARLIER, reasons: ['value_unit_thousands_after_2023'] }, []);
  await seedPeers(db);
  await seedMapping(db);
  const trades = allRowsOf(
    [form4({ number: 1, isAmendment: true, rows: [{}, { code: 'P', pricePerShare: null }] })],
    AS_OF,
  );
  const contents = new Map(trades.map((trade) => [trade.id, contentOf(trade)]));
  await saveTrades(db, ISSUER, { contents, version: 1 });
}

async function seedFilings(db: Db): Promise<void> {
  const rows = [sampleRow(), sampleRow({ row: 2, cusip: null, value: 7n, reasons: ['cusip_malformed'] })];
  const about = { cik: ONE, quarterEnd: LATEST, filedDate: FILED, rows };
  await seedFiling(db, {
    ...about,
    accession: 'whole',
    declaredEntryTotal: 2,
    declaredValueTotal: 2_000_007n,
  });
  await seedFiling(db, {
    ...about,
    accession: 'rounded',
    declaredEntryTotal: 2,
    declaredValueTotal: 2_000_006n,
  });
  await seedFiling(db, {
    ...about,
    accession: 'short',
    declaredEntryTotal: 3,
    declaredValueTotal: 2_500_007n,
  });
  await seedFiling(db, { ...about, accession: 'silent', quarterEnd: EARLIER });
  await seedFiling(db, { ...about, accession: 'text', quarterEnd: EARLIER, textConfidence: 'low' });
  await filingsIn(db).insertMany([
    {
      ...discoveredDoc('broken' as Accession, '13F-HR'),
      state: 'quarantined',
      quarantine: { code: 'not_xml', reason: 'Why', at: '' },
    },
  ]);
}

async function seedFiling(
  db: Db,
  fields: Parameters<typeof sampleFiling>[0] & { accession: string },
): Promise<void> {
  const filing: ThirteenF = sampleFiling(fields);
  const rows = await writeRows(db, { accession: filing.header.accession, source: 'p' }, filing.rows);
  await filingsIn(db).insertOne(parsedDoc(filing, { rows }));
}

function position(cusip: Cusip, amount: bigint, valueCents: bigint, reasons: Reason[] = []): StoredHolding {
  return {
    cusip,
    issuer: `ISSUER OF ${cusip}`,
    shares: String(amount),
    value_cents: String(valueCents),
    ...({ change_type: 'HELD', share_delta: '0', pct_delta: 0, weight_pct: 0, evidence_ids: [] } as const),
    ...{ prior_shares: '10', prior_value_cents: '10' },
    quality: changeQualityOf(reasons),
  };
}

type Report = { readonly cik: Cik; readonly quarterEnd: QuarterEnd; readonly reasons: Reason[] };

async function seedReport(db: Db, report: Report, held: readonly StoredHolding[]): Promise<void> {
  const { cik, quarterEnd } = report;
  const _id = `${cik}|${quarterEnd}`;
  const pages = (digest: string, rows: readonly StoredHolding[]) =>
    holdingPages({ _id, digest }, holdingTexts(rows));
  const shown = pages('shown', held);
  // Of a version that the report no longer shows: nobody may count it.
  await insertHoldings(db, [...shown, ...pages('old', [position(APPLE, 7n, 7_000_000_000n)])]);
  const doc = { ...report, _id, digest: 'shown', managerName: `Manager ${cik}`, filings: [] };
  const newest = { accession: `of ${cik} ${quarterEnd}` };
  const counts = { pageCount: shown.length, reportedValueCents: 77n };
  await reportsIn(db).insertOne({ ...doc, newest, ...counts } as object as ReportDoc);
}

async function seedPeers(db: Db): Promise<void> {
  const votes = { cusip: APPLE, compared: 41 };
  const actions = [
    { kind: 'split', ...votes, votes: 37, factor: { numerator: 4n, denominator: 1n } },
    { kind: 'mass_exit', cusip: GOOGL, votes: 9, compared: 10 },
    { kind: 'stock_merger', cusip: SPY, from: GOOGL, votes: 19, compared: 20, multiple: 1.025 },
  ] as const;
  const verdict = { scales: [], outliers: [], identicalTo: ONE, predecessor: null, moved: [] };
  await peerVerdictsIn(db).insertOne({
    ...peersDoc(LATEST, actions),
    verdicts: packVerdicts(new Map([[TWO, verdict]])),
  });
}

async function seedMapping(db: Db): Promise<void> {
  const stated = { sourceDate: FILED, validFrom: null, validTo: null, confidence: 0.95 };
  const apple = { symbol: 'AAPL' as Ticker, cusip: APPLE, cik: null, name: 'APPLE INC' };
  await saveMappings(db, [{ kind: 'cusip', source: 'fails_to_deliver', ...apple, ...stated }]);
}
