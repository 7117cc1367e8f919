import type { Db } from 'mongodb';
import { MAPPING_CONFIDENCE, type SecurityMapping } from '../../domain/security/mapping.ts';
import { statementIdOf } from '../../domain/security/statement.ts';
import { symbolsIn } from '../../domain/security/symbol.ts';
import { type FormerReading, filingsIn } from '../../store/filing/filings.ts';
import { saveMappings, withdrawMappings } from '../../store/security/securities.ts';

/** What an ownership form states of its issuer's symbols (rule 3.4). */
export function statedBy({ content, issuerCik, filedDate }: FormerReading): SecurityMapping[] {
  if (issuerCik === null || content?.kind !== 'ownership') return [];
  return symbolsIn(content.issuer.symbol).map(
    (symbol): SecurityMapping => ({
      kind: 'cik',
      symbol,
      cusip: null,
      cik: issuerCik,
      name: content.issuer.name,
      source: 'form4',
      sourceDate: filedDate,
      validFrom: filedDate,
      validTo: filedDate,
      confidence: MAPPING_CONFIDENCE.form4,
    }),
  );
}

/**
 * Withdraws what only an earlier reading of a form stated. Other forms of the day may state the same, so
 * these are read again, before and after. Call it when the filing has its new reading.
 */
export async function withdrawFormer(db: Db, former: FormerReading): Promise<void> {
  const stated = statedBy(former);
  if (stated.length === 0) return;
  const kept = new Set((await statedThatDay(db, former)).map(statementIdOf));
  const withdrawn = stated.filter((mapping) => !kept.has(statementIdOf(mapping)));
  if (withdrawn.length === 0) return;
  await withdrawMappings(db, withdrawn);
  // Another form may have been read since.
  await saveMappings(db, await statedThatDay(db, former));
}

async function statedThatDay(db: Db, { issuerCik, filedDate }: FormerReading): Promise<SecurityMapping[]> {
  const forms = await filingsIn(db).find({ issuerCik, filedDate, state: 'parsed' }).toArray();
  return forms.filter(({ followers }) => followers.includes('brief')).flatMap(statedBy);
}
