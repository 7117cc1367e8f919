import type { Db } from 'mongodb';
import { formSecurity } from '../../domain/insider/item.ts';
import type { FilingDoc } from '../../store/filing/filings.ts';
import { tickersOfForms } from '../../store/security/securities.ts';

/** The ticker that a form means (rule 6.10), else empty. */
export async function tickerOf(db: Db, { content }: Pick<FilingDoc, 'content'>): Promise<string> {
  if (content?.kind !== 'ownership') return '';
  return (await tickersOfForms(db, [formSecurity(content)]))[0] ?? '';
}
