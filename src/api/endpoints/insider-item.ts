import type { Db } from 'mongodb';
import type { Cik, Ticker } from '../../domain/ids.ts';
import { withReasons } from '../../domain/insider/item.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import type { TransactionItem } from '../../domain/wire/transaction.ts';
import { withPriceReasons } from '../../read/trade/prices.ts';
import { onlyTickers } from '../../store/security/issuer-tickers.ts';
import type { ListedTrade } from '../../store/trade/list.ts';
import { itemOf } from '../../store/trade/trades.ts';

export type LineReasons = ReadonlyMap<string, readonly Reason[]>;

export const NO_REASONS: LineReasons = new Map();

/** What the list was asked for: reasons are those of that ticker's share class, as in the brief. */
type Asked = { readonly ticker: Ticker | null; readonly reasons: LineReasons };

/** The wire items. Where a form names no usable symbol, the ticker asked for or the issuer's only one. */
export async function itemsOf(
  db: Db,
  trades: readonly ListedTrade[],
  { ticker, reasons }: Asked,
): Promise<TransactionItem[]> {
  const told = await withPriceReasons(
    db,
    trades.map(({ item, line, placedOn }) => ({
      item: withReasons(itemOf(item), reasons.get(line) ?? []),
      placedOn,
    })),
  );
  const items = told.map(({ item }) => item);
  return ticker === null ? withTickers(db, items) : items.map((item) => withTicker(item, ticker));
}

/** Items without a symbol of their own get the only ticker that their issuer is known by. */
export async function withTickers(db: Db, items: readonly TransactionItem[]): Promise<TransactionItem[]> {
  const open = items.filter((item) => item.issuer.ticker === '').map((item) => item.issuer.cik as Cik);
  const only = await onlyTickers(db, [...new Set(open)]);
  return items.map((item) => withTicker(item, only.get(item.issuer.cik as Cik) ?? ''));
}

function withTicker(item: TransactionItem, ticker: Ticker | ''): TransactionItem {
  return item.issuer.ticker === '' ? { ...item, issuer: { ...item.issuer, ticker } } : item;
}
