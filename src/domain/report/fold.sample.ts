import { sampleFiling, sampleRows } from '../filing/filing.sample.ts';
import type { foldReport } from './fold.ts';

/** The filings of one quarter of a manager, in the order of their days. */
export const original = sampleFiling({
  accession: '0000000001-24-000001',
  filedDate: '2024-05-10',
  rows: sampleRows(20),
});
export const lateOriginal = sampleFiling({
  accession: '0000000001-24-000002',
  filedDate: '2024-05-12',
  rows: sampleRows(25),
});
export const restatement = sampleFiling({
  accession: '0000000001-24-000003',
  filedDate: '2024-05-20',
  amendmentType: 'restatement',
  amendmentNumber: 1,
  rows: sampleRows(22),
});
export const newHoldings = sampleFiling({
  accession: '0000000001-24-000004',
  filedDate: '2024-06-01',
  amendmentType: 'new_holdings',
  amendmentNumber: 2,
  acceptedAt: '2024-06-01T20:21:59Z',
  rows: sampleRows(4, 100),
});
export const secondAddition = sampleFiling({
  accession: '0000000001-24-000005',
  filedDate: '2024-06-01',
  amendmentType: 'new_holdings',
  amendmentNumber: 3,
  rows: sampleRows(1, 200),
});

/** The last digit of each accession, with what became of the filing. */
export const roles = (report: ReturnType<typeof foldReport>) =>
  report?.filings.map(({ accession, role }) => `${accession.slice(-1)} ${role}`);
