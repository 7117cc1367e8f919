import { expect, test } from 'vitest';
import { diffReports } from '../../domain/change/diff.ts';
import { BEFORE, diffOf, NOW, sampleReport } from '../../domain/change/report.sample.ts';
import { APPLE, GOOGL, SPY, sampleFiling, sampleRow, sampleRows } from '../../domain/filing/filing.sample.ts';
import { type Accession, type Cik, evidenceIdOf13f } from '../../domain/ids.ts';
import { foldReport } from '../../domain/report/fold.ts';
import { equityOf, inDisplayOrder } from '../../domain/report/holding.ts';
import type { ReportChanges } from '../../domain/report/report.ts';
import { digestOf } from '../../store/mongo/pack.ts';
import { HOLDINGS_PAGE_ROWS } from '../../store/report/holdings.ts';
import { holdingRows, reportContent } from './content.ts';

const OPTION = sampleRow({ row: 2, cusip: SPY, putCall: 'PUT', amount: 300n });
const GOOGLE = sampleRow({ row: 3, cusip: GOOGL, issuer: 'ALPHABET INC "C"', amount: 2n ** 60n });
const MOVED = [{ cik: '0000000002' as Cik, name: 'OTHER LLC', cusips: [APPLE] }];

const contentOf = (changes: ReportChanges, filed: ReportChanges['report']) =>
  reportContent({ changes, filed, evidence: new Map() });

/** As releases computed it that wrote the JSON of rows for the digest alone. */
function digestOfParts(changes: ReportChanges): string {
  const { report, reasons } = changes;
  const { positions, options } = contentOf(changes, report);
  const parsed = (rows: typeof positions) => rows.map(({ json }) => JSON.parse(json) as unknown);
  const filings = report.filings.map((filing) => ({ ...filing, scaleCents: filing.scaleCents.toString() }));
  const cover = [report.reportType, report.confidentialOmitted, report.reportedBy];
  const rows = holdingRows(changes, inDisplayOrder(equityOf(changes.changes)));
  const last = [...(options.length === 0 ? [] : [parsed(options)]), ...report.moved.map(({ name }) => name)];
  return digestOf([report.state, cover, filings, reasons, rows, parsed(positions), ...last]);
}

test.each([
  ['no row', [], []],
  ['one page', [sampleRow(), GOOGLE], [sampleRow({ amount: 7n })]],
  ['options', [sampleRow(), OPTION, GOOGLE], [OPTION]],
  ['a full page', sampleRows(HOLDINGS_PAGE_ROWS), []],
  ['several pages', sampleRows(2 * HOLDINGS_PAGE_ROWS + 1), sampleRows(3, 2_000)],
])('the digest is the one of earlier releases: %s', (_, now, before) => {
  const changes = diffOf(now, before);
  expect(contentOf(changes, changes.report).key.digest).toBe(digestOfParts(changes));
  const moved = { ...changes, report: { ...changes.report, moved: MOVED } };
  expect(contentOf(moved, moved.report).key.digest).toBe(digestOfParts(moved));
});

test('the pages of a report are its rows in display order', () => {
  const changes = diffOf(sampleRows(HOLDINGS_PAGE_ROWS + 1), []);
  const { pages, rowTotal } = contentOf(changes, changes.report);
  const rows = pages.map((page) => JSON.parse(page) as unknown[]);
  expect(rows.map(({ length }) => length)).toEqual([HOLDINGS_PAGE_ROWS, 1]);
  expect(rowTotal).toBe(HOLDINGS_PAGE_ROWS + 1);
  expect(rows.flat()).toEqual(holdingRows(changes, inDisplayOrder(equityOf(changes.changes))));
});

test('a scale in doubt is shown and makes no exit and no share count uncertain (rule 5.8)', () => {
  const changes = diffOf([sampleRow({ amount: 7n })], [sampleRow(), GOOGLE]);
  const doubted = changes.changes.map((change) => ({
    ...change,
    reasons: ['value_unit_unverified'] as const,
  }));
  expect(holdingRows(changes, doubted).map(({ change_type, quality }) => [change_type, quality])).toEqual(
    ['EXITED', 'REDUCED'].map((change) => [change, { status: 'clear', reasons: ['value_unit_unverified'] }]),
  );
});

test('a filing that is not believed is evidence in the next quarter too, where its doubt is shown (rule 2.9)', () => {
  const rows = sampleRows(20);
  const accession = '0000000001-24-000007' as Accession;
  const again = {
    accession,
    filedDate: '2024-06-29',
    amendmentType: 'restatement',
    quarterEnd: BEFORE,
  } as const;
  const filed = [
    sampleFiling({ quarterEnd: BEFORE, rows }),
    sampleFiling({ ...again, rows: rows.slice(0, 1) }),
  ];
  const current = sampleReport(NOW, { rows });
  const changes = diffReports(current, foldReport(filed));
  expect(changes.reasons).toEqual(['partial_restatement_suspected']);
  const { fields, key } = contentOf(changes, current);
  expect(fields.priorAccessions).toEqual([filed[0]?.header.accession, accession]);
  const [row] = holdingRows(changes, changes.changes);
  expect(row?.evidence_ids.at(-1)).toBe(evidenceIdOf13f(accession));
  expect(key.digest).not.toBe(contentOf({ ...changes, priorDoubted: [] }, current).key.digest);
});
