import type { Db } from 'mongodb';
import { isCik, type Ticker } from '../../domain/ids.ts';
import { withReasons } from '../../domain/insider/item.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { withPriceReasons } from '../../read/trade/prices.ts';
import { onlyTickers } from '../../store/security/issuer-tickers.ts';
import type { ListedTrade } from '../../store/trade/list.ts';
import { itemOf } from '../../store/trade/trades.ts';

export type LineReasons = ReadonlyMap<string, readonly Reason[]>;

export const NO_REASONS: LineReasons = new Map();

/** The requested ticker, and the reasons of its share class, as in the brief. */
type Requested = { readonly ticker: Ticker | null; readonly reasons: LineReasons };

/** The wire items. Without a usable symbol on the form: the requested ticker, or the only one of the issuer. */
export async function itemsOf(
  db: Db,
  trades: readonly ListedTrade[],
  { ticker, reasons }: Requested,
): Promise<TransactionItem[]> {
  const priced = await withPriceReasons(
    db,
    trades.map(({ item, line, placedOn }) => ({
      item: withReasons(itemOf(item), reasons.get(line) ?? []),
      placedOn,
    })),
  );
  const items = priced.map(({ item }) => item);
  return ticker === null ? withTickers(db, items) : items.map((item) => withTicker(item, ticker));
}

/** Items without their own symbol get the only known ticker of their issuer. */
async function withTickers(db: Db, items: readonly TransactionItem[]): Promise<TransactionItem[]> {
  const ciks = items.filter(({ issuer }) => issuer.ticker === '').map(({ issuer }) => issuer.cik);
  const only: ReadonlyMap<string, Ticker> = await onlyTickers(db, [...new Set(ciks.filter(isCik))]);
  return items.map((item) => withTicker(item, only.get(item.issuer.cik) ?? ''));
}

function withTicker(item: TransactionItem, ticker: Ticker | ''): TransactionItem {
  return item.issuer.ticker === '' ? { ...item, issuer: { ...item.issuer, ticker } } : item;
}
