import type { Db } from 'mongodb';
import { printedSymbol } from '../../domain/security/placeholder.ts';
import { withoutSeparator } from '../../domain/security/symbol.ts';
import { securitiesIn } from '../security/securities.ts';

/** Version 9 to 10: statements of `OIXXXX` become placeholders of `OI`, under their ids. */
export async function migrateFrom9(db: Db): Promise<void> {
  const printed = { source: 'fails_to_deliver' as const, symbol: { $regex: /(XXXX|ZZZZ)$/ } };
  for await (const { _id, symbol } of securitiesIn(db).find(printed)) {
    const stated = printedSymbol(symbol);
    if (stated?.placeholder === undefined) continue;
    const $set = { ...stated, bare: withoutSeparator(stated.symbol) };
    await securitiesIn(db).updateOne({ _id }, { $set });
  }
}
