import type { FilingHeader, Follower, Leg, StoredFiling } from '../../domain/filing/filing.ts';
import { publishedAtOf } from '../../domain/report/fold.ts';
import { fitsInt64 } from '../mongo/pack.ts';
import type { FilingDoc } from './filings.ts';
import type { StoredRows } from './rows.ts';

type Parsed = {
  readonly header: FilingHeader;
  readonly stored: Omit<StoredFiling, 'rows'>;
  readonly rows: StoredRows | null;
  /** What the module of the form says. */
  readonly form: { readonly leg: Leg | null; readonly followers: readonly Follower[] };
};

/** The fields of a parsed filing, the same for a document and for a data set. */
export function parsedFields({ header, stored, rows, form }: Parsed) {
  const { issuer, ...fields } = stored;
  return {
    ...fields,
    issuerCik: issuer?.cik ?? null,
    rows,
    state: 'parsed',
    tries: 0,
    quarantine: null,
    form: header.form,
    leg: form.leg,
    filedDate: header.filedDate,
    publishedAt: publishedAtOf(header),
    followers: form.followers,
  } satisfies Partial<FilingDoc>;
}

/** Why a filing whose sums cannot be stored is quarantined; null where they can. */
export function outOfRange({ content }: Pick<StoredFiling, 'content'>) {
  const sums = Object.values(content).filter((value) => typeof value === 'bigint');
  return fitsInt64(sums) ? null : { code: 'value_out_of_range', reason: 'the values exceed 64 bits' };
}
