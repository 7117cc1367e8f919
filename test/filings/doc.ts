import type { ParsedFiling } from '../../src/domain/filing/filing.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { publishedAtOf } from '../../src/domain/report/fold.ts';
import { FORMS, requireForm } from '../../src/forms/index.ts';
import { discovered } from '../../src/store/filing/claims.ts';
import type { FilingDoc } from '../../src/store/filing/filings.ts';

/** A filing of which only the index entry is known. */
export function discoveredDoc(accession: Accession, form: string): FilingDoc {
  const { leg } = requireForm(FORMS, form);
  const filing = { accession, form, leg, cik: '0000000001' as Cik, company: 'MADE UP' };
  return discovered({ ...filing, filedDate: '2018-11-01' as IsoDate }, '');
}

/** A filing as it is stored when it was parsed, but for its rows and its ticker. */
export function parsedDoc(filing: ParsedFiling, fields: Partial<FilingDoc> = {}): FilingDoc {
  const { header } = filing;
  const form = requireForm(FORMS, header.form);
  const { issuer, rows: _rows, ...stored } = form.stored(filing);
  return {
    ...discoveredDoc(header.accession, header.form),
    ...stored,
    filedDate: header.filedDate,
    state: 'parsed',
    parserVersion: form.parserVersion,
    publishedAt: publishedAtOf(header),
    issuerCik: issuer?.cik ?? null,
    derive: 'done',
    followers: form.followers,
    ...fields,
  };
}
