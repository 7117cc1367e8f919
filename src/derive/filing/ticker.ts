import type { Db } from 'mongodb';
import type { Ownership } from '../../domain/filing/filing.ts';
import { normaliseSymbol } from '../../domain/security/symbol.ts';
import { symbolsOfCik } from '../../store/security/securities.ts';

/** The symbol as filed, else the only known symbol of the issuer (rule 6.10), else empty. */
export async function tickerOf(db: Db, issuer: Ownership['issuer']): Promise<string> {
  const stated = normaliseSymbol(issuer.symbol);
  if (stated !== null) return stated;
  const [only = '', ...others] = await symbolsOfCik(db, issuer.cik);
  return others.length === 0 ? only : '';
}
