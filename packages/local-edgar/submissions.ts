import type { Cik } from '../../src/domain/ids.ts';
import type { LocalFiling } from './scan.ts';

/** `CIK##########.json` of data.sec.gov, in one page; null for a CIK without filings. */
export function renderSubmissions(filings: readonly LocalFiling[], cik: Cik): string | null {
  const own = filings.filter(({ parties }) => parties.some((party) => party.cik === cik));
  const [newest] = own;
  if (newest === undefined) return null;
  return JSON.stringify({
    cik,
    name: newest.parties.find((party) => party.cik === cik)?.name ?? '',
    filings: {
      recent: {
        accessionNumber: own.map(({ accession }) => accession),
        filingDate: own.map(({ filedDate }) => filedDate),
        form: own.map(({ form }) => form),
      },
      files: [],
    },
  });
}
