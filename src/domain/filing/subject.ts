import type { Cik, QuarterEnd } from '../ids.ts';
import { parseQuarterEnd } from '../quarter.ts';
import type { FilingHeader } from './filing.ts';

/** What a filing is about as far as its header says; null for what it does not say. */
export type Subject = { readonly issuerCik: Cik | null; readonly quarterEnd: QuarterEnd | null };

export function subjectOf({ filers, periodOfReport }: FilingHeader): Subject {
  return {
    issuerCik: filers.find(({ role }) => role === 'issuer')?.cik ?? null,
    quarterEnd: parseQuarterEnd(periodOfReport ?? ''),
  };
}
