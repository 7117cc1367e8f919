/**
 * Stores one large real report in our layout and in one document per row with the two indexes that such
 * a layout needs. Measures ingest, one page of 500 rows, and all managers of one security. Ingest is
 * measured twice, because a table has several rows of one security: end to end with one document per row
 * as filed, although our layout stores more; and the summed positions alone.
 * One interleaved run on one server; wall time, medians over the rounds.
 *
 *   npm run bench:store [-- <submission.txt>]
 */
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Collection, Db } from 'mongodb';
import { holdingRows } from '../src/derive/report/content.ts';
import { diffReports } from '../src/domain/change/diff.ts';
import type { ThirteenF } from '../src/domain/filing/filing.ts';
import { type Accession, type Cusip, parseCik } from '../src/domain/ids.ts';
import { foldReport } from '../src/domain/report/fold.ts';
import { equityOf, inDisplayOrder } from '../src/domain/report/holding.ts';
import type { ReportChanges } from '../src/domain/report/report.ts';
import { parseFiling } from '../src/forms/index.ts';
import { writeRows } from '../src/store/filing/rows.ts';
import { HOLDINGS_PAGE_ROWS, readHoldings } from '../src/store/report/holdings.ts';
import { positions } from '../src/store/report/positions.ts';
import { findReport, type ReportDoc } from '../src/store/report/reports.ts';
import { saveReport } from '../test/save-report.ts';
import { withBenchDatabase } from './database.ts';
import { report } from './goals.ts';
import { median } from './median.ts';

const ROUNDS = 15;
/** Reads of the whole run; each reads another page and another security. */
const READS = 60;
const root = fileURLToPath(new URL('..', import.meta.url));
const LARGEST = join(root, 'demo', 'corpus', 'filings', '0000902219-19-000479.txt');

type Layout = {
  /** The rows as filed and everything that is served. */
  readonly ingest: (changes: ReportChanges) => Promise<unknown>;
  /** Only what is served: one row per position, by manager and by security. */
  readonly ingestPositions: (changes: ReportChanges) => Promise<unknown>;
  readonly readPage: (changes: ReportChanges, page: number) => Promise<unknown[]>;
  readonly readSecurity: (changes: ReportChanges, cusip: Cusip) => Promise<unknown[]>;
};

await withBenchDatabase('store', (db) => compare(db, process.argv[2] ?? LARGEST));

async function compare(db: Db, path: string): Promise<void> {
  const filing = parseFiling(readFileSync(path));
  if (filing.kind !== 'thirteen_f') throw new Error(`${path} is not a 13F`);
  const layouts = [pagesAndBuckets(db, filing), await oneDocumentPerRow(db, filing)] as const;
  const reports = asManagers(filing, 0);
  const [first] = reports;
  if (first === undefined) throw new Error('no report');
  const cusips = equityOf(first.changes).map(({ cusip }) => cusip);
  const rows = cusips.length;
  console.log(
    `${filing.rows.length} filed rows, ${rows} positions, ${ROUNDS} rounds; ` +
      `${cpus()[0]?.model}, Node ${process.version}`,
  );
  const positions = await interleaved(layouts, reports, (layout, report) => layout.ingestPositions(report));
  const reads = Array.from({ length: READS }, (_, n) => n);
  const pages = Math.floor(rows / HOLDINGS_PAGE_ROWS);
  const page = await interleaved(layouts, reads, (layout, n) =>
    layout.readPage(reports[n % reports.length] ?? first, n % pages),
  );
  const security = await interleaved(layouts, reads, (layout, n) =>
    layout.readSecurity(first, cusips[(n * 97) % rows] as Cusip),
  );
  // Last, so that the reads above see one report a manager.
  const more = asManagers(filing, reports.length);
  const ingest = await interleaved(layouts, more, (layout, report) => layout.ingest(report));
  const lines = [
    line(`ingest, ${filing.rows.length} filed rows`, ingest, filing.rows.length),
    line(`ingest, ${rows} positions`, positions, rows),
    line(`read a page of ${HOLDINGS_PAGE_ROWS}`, page),
    line(`read a security, ${reports.length} managers`, security),
  ];
  console.table(lines);
  const what = 'times as fast as one document per row';
  report(
    'store',
    lines.map(({ task, ratio }) => ({ what: `${task}, ${what}`, value: ratio })),
  );
}

/** The same report as filed by other managers: other ids, so that nothing is there already. */
function asManagers(filing: ThirteenF, from: number): ReportChanges[] {
  return Array.from({ length: ROUNDS + 1 }, (_, round) => {
    const n = String(from + round).padStart(9, '0');
    const cik = parseCik(`9${n}`);
    const accession = `9${n}-19-000001` as Accession;
    if (cik === null) throw new Error('not a CIK');
    const report = foldReport([{ ...filing, cik, header: { ...filing.header, accession } }]);
    if (report === null) throw new Error('nothing to store');
    return diffReports(report, null);
  });
}

/** What the pipeline stores: the rows as filed, the display pages, the positions, the report. */
function pagesAndBuckets(db: Db, filing: ThirteenF): Layout {
  const shown = async ({ report }: ReportChanges): Promise<ReportDoc> => {
    const found = await findReport(db, report);
    if (found === null) throw new Error('the report is not stored');
    return found;
  };
  return {
    ingest: async (changes) => {
      const { accession } = changes.report.newest;
      await writeRows(db, { accession, source: 'bench' }, filing.rows);
      await saveReport(db, changes, 1);
    },
    ingestPositions: (changes) => saveReport(db, changes, 1),
    readPage: async (changes, page) => {
      const range = { from: page * HOLDINGS_PAGE_ROWS, count: HOLDINGS_PAGE_ROWS };
      return readHoldings(db, await shown(changes), range);
    },
    readSecurity: ({ report }, cusip) => positions.ofSecurity(db, cusip, report.quarterEnd),
  };
}

type RowDoc = { cik: string; quarter: string; cusip: string | null; valueCents: bigint };

/** The usual way: every row a document, found by manager or by security. */
async function oneDocumentPerRow(db: Db, filing: ThirteenF): Promise<Layout> {
  const collection: Collection<RowDoc> = db.collection('holdings_rows');
  await collection.createIndexes([
    { key: { cik: 1, quarter: 1 }, name: 'by_fund' },
    { key: { cusip: 1, quarter: 1 }, name: 'by_security' },
  ]);
  const insert = (docs: RowDoc[]) => collection.insertMany(docs, { ordered: false });
  return {
    ingest: ({ report: { cik, quarterEnd: quarter, newest } }) => {
      const { accession } = newest;
      const key = { cik, quarter, accession };
      return insert(filing.rows.map((row) => ({ ...row, ...key, valueCents: row.value * 100_000n })));
    },
    ingestPositions: (compared) => {
      const { report, changes } = compared;
      const key = { cik: report.cik, quarter: report.quarterEnd };
      const rows = holdingRows(compared, inDisplayOrder(equityOf(changes)));
      return insert(rows.map((row) => ({ ...row, ...key, valueCents: BigInt(row.value_cents) })));
    },
    readPage: ({ report }, page) =>
      collection
        .find({ cik: report.cik, quarter: report.quarterEnd })
        .sort({ valueCents: -1, cusip: 1 })
        .skip(page * HOLDINGS_PAGE_ROWS)
        .limit(HOLDINGS_PAGE_ROWS)
        .toArray(),
    readSecurity: ({ report }, cusip) => collection.find({ cusip, quarter: report.quarterEnd }).toArray(),
  };
}

type Times = readonly (readonly number[])[];

/** Milliseconds per layout. The first input warms up; the first layout alternates. Both must find equal counts. */
async function interleaved<T>(
  layouts: readonly [Layout, Layout],
  inputs: readonly T[],
  run: (layout: Layout, input: T) => Promise<unknown>,
): Promise<Times> {
  const times: number[][] = layouts.map(() => []);
  for (const [round, input] of inputs.entries()) {
    const sizes = new Set<number>();
    for (const turn of [round % 2, 1 - (round % 2)]) {
      const started = performance.now();
      const found = await run(layouts[turn as 0 | 1], input);
      if (round > 0) times[turn]?.push(performance.now() - started);
      if (Array.isArray(found)) sizes.add(found.length);
    }
    if (sizes.size > 1 || sizes.has(0)) throw new Error(`the layouts disagree: ${[...sizes].join(', ')}`);
  }
  return times;
}

type Line = Readonly<Record<string, string | number>> & { readonly task: string; readonly ratio: number };

function line(task: string, times: Times, rows?: number): Line {
  const [ours, theirs] = times.map(median) as [number, number];
  const perSecond = (ms: number): number => Math.round((rows ?? 0) / (ms / 1_000));
  return {
    task,
    'ours, ms': Number(ours.toFixed(2)),
    'per row, ms': Number(theirs.toFixed(2)),
    ratio: Number((theirs / ours).toFixed(1)),
    ...(rows === undefined ? {} : { 'ours, rows/s': perSecond(ours), 'per row, rows/s': perSecond(theirs) }),
  };
}
