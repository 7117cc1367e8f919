import { MAX_INSIDER_TRANSACTIONS } from '../holders/institutional.ts';
import type { Ticker } from '../ids.ts';
import { transactionItem } from '../insider/item.ts';
import type { Trade } from '../insider/trade.ts';
import type { TransactionItem } from '../wire/transaction.ts';

/** Rule 8.6: bytes of JSON that the footnote texts of a brief take at most. One form may have 99,000. */
const MAX_FOOTNOTE_BYTES = 8_000;
/** Rule 8.6: bytes of JSON that the transactions of a brief take at most, if they are more than one. */
const MAX_TRANSACTION_BYTES = 20_000;

type Note = TransactionItem['footnotes'][number];

/**
 * The newest trades as a brief shows them: as many as allowed, of groups of many owners as many as there is
 * room for. Each footnote text stands once, because tranches of one sale repeat all of theirs.
 */
export function shownTrades(trades: readonly Trade[], ticker: Ticker | null): TransactionItem[] {
  const newest = trades.slice(0, MAX_INSIDER_TRANSACTIONS);
  const items = textsOnce(newest.map((trade) => transactionItem(trade, ticker)));
  let left = MAX_TRANSACTION_BYTES;
  const past = items.findIndex((item) => {
    left -= bytesOf(item);
    return left < 0;
  });
  return past === -1 ? items : items.slice(0, Math.max(past, 1));
}

function textsOnce(items: readonly TransactionItem[]): TransactionItem[] {
  const shown = new Map<string, NonNullable<Note['same_as']>>();
  let left = MAX_FOOTNOTE_BYTES;
  const once = (note: Note, transaction_id: string): Note => {
    if (note.text === null) return note;
    const first = shown.get(note.text);
    if (first !== undefined) return { ...note, text: null, same_as: first };
    const bytes = bytesOf(note.text);
    if (bytes > left) return { ...note, text: null };
    left -= bytes;
    shown.set(note.text, { transaction_id, id: note.id });
    return note;
  };
  return items.map((item) => ({
    ...item,
    footnotes: item.footnotes.map((note) => once(note, item.transaction_id)),
  }));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
