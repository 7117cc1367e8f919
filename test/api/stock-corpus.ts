import type { Db } from 'mongodb';
import { refreshFunds } from '../../src/derive/report/fund-writer.ts';
import { diffReports } from '../../src/domain/change/diff.ts';
import {
  APPLE,
  GOOGL,
  type SampleFiling,
  sampleFiling,
  sampleRow,
} from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import type { CorpusState } from '../../src/domain/filing/index-coverage.ts';
import type { Accession, Cik, IsoDate, QuarterEnd } from '../../src/domain/ids.ts';
import { previousQuarterEnd } from '../../src/domain/quarter.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import type { EffectiveReport } from '../../src/domain/report/report.ts';
import { fails, listed } from '../../src/domain/security/mapping.sample.ts';
import { discovered } from '../../src/store/filing/claims.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishCorpus, publishedCorpus } from '../../src/store/publish/corpus.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { saveReport } from '../save-report.ts';

export const LATEST = '2018-09-30' as QuarterEnd;
export const PRIOR = '2018-06-30' as QuarterEnd;
export const EARLIER = '2018-03-31' as QuarterEnd;

const FILED: Record<string, string> = {
  [LATEST]: '2018-11-14',
  [PRIOR]: '2018-08-14',
  [EARLIER]: '2018-05-15',
};

/** Ten digits of a small number. */
export const cik = (n: number): Cik => String(n).padStart(10, '0') as Cik;

export const STATE: CorpusState = {
  corpus: 'Form 13F reports of the managers tracked by Tidemark',
  sourceComplete: true,
  latestReportedQuarterEnd: LATEST,
  filingWindow: 'closed',
  coverageStart: null,
  indexedThrough: null,
  quarantined: { thirteenF: 0, form4: 0 },
};

export async function publish(db: Db, state: Partial<CorpusState> = {}): Promise<void> {
  const corpus = { asOf: '2018-11-30' as IsoDate, state: { ...STATE, ...state } };
  await publishCorpus(db, corpus, { at: new Date().toISOString(), before: await publishedCorpus(db) });
}

/** A row of Apple's common stock; the value in thousands of dollars, as filed then. */
export const apple = (amount: bigint, value: bigint, rest: Partial<InfoTableRow> = {}): InfoTableRow =>
  sampleRow({ amount, value, ...rest });

/** Something else, so that a report without Apple is not empty. */
export const google = (value = 1_000n): InfoTableRow =>
  sampleRow({ row: 9, cusip: GOOGL, issuer: 'ALPHABET INC', amount: 50_000n, value });

type Quarters = Readonly<Record<string, readonly InfoTableRow[]>>;

/** Shows a manager's reports by quarter, oldest first, as the diff job does. */
export async function show(db: Db, n: number, quarters: Quarters, rest: SampleFiling = {}): Promise<void> {
  const reports = new Map<string, EffectiveReport>();
  for (const quarterEnd of Object.keys(quarters).sort() as QuarterEnd[]) {
    const filing = sampleFiling({
      cik: cik(n),
      managerName: `Manager ${n}`,
      quarterEnd,
      filedDate: FILED[quarterEnd] ?? quarterEnd,
      accession: accessionOf(n, quarterEnd),
      rows: quarters[quarterEnd] ?? [],
      ...rest,
    });
    const report = foldReport([filing]);
    if (report === null) throw new Error('one filing folds to a report');
    reports.set(quarterEnd, report);
    await saveReport(db, diffReports(report, reports.get(previousQuarterEnd(quarterEnd)) ?? null), 1);
  }
  await refreshFunds(db, [cik(n)]);
}

/** The same with the filings that the reports were read from, which a brief cites. */
export async function showFiled(
  db: Db,
  n: number,
  quarters: Quarters,
  rest: SampleFiling = {},
): Promise<void> {
  for (const quarterEnd of Object.keys(quarters) as QuarterEnd[]) {
    const accession = accessionOf(n, quarterEnd);
    const filedDate = (FILED[quarterEnd] ?? quarterEnd) as IsoDate;
    const filing = { accession, cik: cik(n), form: '13F-HR', leg: 'thirteen_f', company: '' } as const;
    const doc = { ...discovered({ ...filing, filedDate }, ''), state: 'parsed' } as const;
    await filingsIn(db).updateOne({ _id: accession }, { $setOnInsert: doc }, { upsert: true });
  }
  await show(db, n, quarters, rest);
}

function accessionOf(n: number, quarterEnd: QuarterEnd): Accession {
  return `${cik(n)}-18-${quarterEnd.slice(2, 7).replace('-', '').padStart(6, '0')}` as Accession;
}

/** What AAPL, BRK.B and others stand for. */
export async function seedSymbols(db: Db): Promise<void> {
  const mappings = [
    fails('AAPL', APPLE, { on: '2018-11-15', name: 'APPLE INC' }),
    listed('AAPL', '0000320193' as Cik, { on: '2018-11-15', name: 'Apple Inc.' }),
    fails('BRK.B', '084670702', { on: '2018-11-15', name: 'BERKSHIRE HATHAWAY INC-CL B' }),
    // Only its Forms 4 are known: no CUSIP.
    listed('TSLA', '0001318605' as Cik, { on: '2018-11-15', name: 'Tesla, Inc.' }),
    fails('TWO', '111111118', { on: '2018-11-15', name: 'FIRST THING INC' }),
    fails('TWO', '222222226', { on: '2018-11-15', name: 'SECOND WHATEVER CORP' }),
  ];
  await saveMappings(db, mappings);
}
