import { z } from 'zod';
import { sourceUrl } from '../../domain/filing/filing.ts';
import type { Cik } from '../../domain/ids.ts';
import { quarterLabel } from '../../domain/quarter.ts';
import type { UnreadReport } from '../../store/filing/failures.ts';

/** 13F filings that were filed and cannot be read, so that no reader takes them for missing (rule 8.4). */
export const unreadShape = z.array(
  z.strictObject({
    accession_number: z.string(),
    cik: z.string(),
    form_type: z.string(),
    quarter_end: z.string(),
    filed_at: z.string(),
    source_url: z.string(),
  }),
);

export function unreadItems(filings: readonly UnreadReport[]): z.infer<typeof unreadShape> {
  return filings.map(({ accession, cik, form, quarterEnd, filedDate }) => ({
    accession_number: accession,
    cik,
    form_type: form,
    quarter_end: quarterEnd,
    filed_at: filedDate,
    source_url: sourceUrl(cik, accession),
  }));
}

/** Why nothing of a manager is found that has filed; null where it has not. */
export function unreadMessage(cik: Cik, filings: readonly UnreadReport[]): string | null {
  const named = filings.map((one) => `${one.accession} for ${quarterLabel(one.quarterEnd)}`).join(', ');
  return named === '' ? null : `What CIK ${cik} filed could not be read: ${named}.`;
}
