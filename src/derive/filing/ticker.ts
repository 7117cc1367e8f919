import type { Db } from 'mongodb';
import { normaliseSymbol } from '../../domain/security/symbol.ts';
import type { FilingDoc } from '../../store/filing/filings.ts';
import { symbolsOfCik } from '../../store/security/securities.ts';

/** The symbol as filed, else the only known symbol of the issuer (rule 6.10), else empty. */
export async function tickerOf(db: Db, { content }: Pick<FilingDoc, 'content'>): Promise<string> {
  if (content?.kind !== 'ownership') return '';
  const { cik, symbol } = content.issuer;
  const stated = normaliseSymbol(symbol);
  if (stated !== null) return stated;
  const [only = '', ...others] = await symbolsOfCik(db, cik);
  return others.length === 0 ? only : '';
}
