import type { Cusip } from '../../domain/ids.ts';
import type { FiledPosition } from '../../domain/peers/filed-security.ts';
import { type EffectiveReport, isEquity } from '../../domain/report/report.ts';
import { AMOUNT, digestOf, PLAIN, tupleOf } from '../mongo/pack.ts';
import { bucketOf, POSITION_BUCKETS } from './positions.ts';
import type { FiledSummary } from './reports.ts';
import { slicesOf } from './slices.ts';

export type FiledRow = Omit<FiledPosition, 'cik'> & { readonly cusip: Cusip };

const FILED_ROW = tupleOf<FiledRow>({
  cusip: PLAIN,
  issuer: PLAIN,
  amount: AMOUNT,
  valueCents: AMOUNT,
  accession: PLAIN,
  reasons: PLAIN,
});

const PARTS = 32;
export const FILED_PARTS: readonly string[] = Array.from({ length: PARTS }, (_, part) => String(part));

const partOf = (cusip: string): string =>
  String(Math.floor(Number.parseInt(bucketOf(cusip), 16) / (POSITION_BUCKETS / PARTS)));

/**
 * The equity of each report as filed, without anything that a comparison or other filers add: the
 * input of the peers. Its parts are wide, because the peers read every security of a quarter.
 */
export const filedPositions = slicesOf<FiledRow>('filed_positions', {
  bucketOf: partOf,
  codec: FILED_ROW,
  hasSecurities: false,
});

/** Equal for equal filings, whatever their comparison shows. */
export function filedSummary(filed: EffectiveReport): FiledSummary {
  const isComparable = filed.state === 'holdings' && !filed.reasons.includes('shares_equal_value');
  const filings = filed.filings.map(({ accession, filedDate, role }) => [accession, filedDate, role]);
  const rows = filedRows(filed);
  const digest = digestOf([isComparable, filings, rows.map(FILED_ROW.encode)]);
  return { digest, isComparable, positions: rows.length };
}

export function filedRows({ positions }: EffectiveReport): FiledRow[] {
  return positions
    .filter(isEquity)
    .map(({ cusip, issuer, amount, filedValueCents, accessions, reasons }) => ({
      cusip,
      issuer,
      amount,
      valueCents: filedValueCents,
      accession: accessions.length === 1 ? (accessions[0] ?? null) : null,
      reasons,
    }));
}
