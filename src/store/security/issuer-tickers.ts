import type { Db } from 'mongodb';
import type { Cik, Ticker } from '../../domain/ids.ts';
import { withoutSeparator } from '../../domain/security/symbol.ts';
import { securitiesIn } from './securities.ts';

/**
 * The ticker of each issuer that is known to have just one (rule 6.10): it stands in where a form
 * names no usable symbol. `BRKB` and `BRK.B` are one; two classes are two, and none is guessed.
 */
export async function onlyTickers(db: Db, ciks: readonly Cik[]): Promise<Map<Cik, Ticker>> {
  const only = new Map<Cik, Ticker>();
  if (ciks.length === 0) return only;
  const docs = await securitiesIn(db)
    .find({ cik: { $in: [...ciks] } }, { projection: { cik: 1, symbol: 1 } })
    .toArray();
  for (const cik of ciks) {
    const symbols = docs.filter((doc) => doc.cik === cik).map((doc) => doc.symbol);
    const [symbol] = symbols.sort((a, b) => b.length - a.length);
    if (symbol !== undefined && new Set(symbols.map(withoutSeparator)).size === 1) only.set(cik, symbol);
  }
  return only;
}
