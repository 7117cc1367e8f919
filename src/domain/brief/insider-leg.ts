import { addDays, isVisible } from '../calendar.ts';
import { countConnected } from '../group.ts';
import { MAX_INSIDER_TRANSACTIONS } from '../holders/institutional.ts';
import { insiderStance, type Weight, type WithoutTrades } from '../holders/stance.ts';
import type { IsoDate, Ticker } from '../ids.ts';
import { shareClassReasons } from '../insider/class.ts';
import { type Exempt, exemptOf } from '../insider/coverage.ts';
import { transactionItem } from '../insider/item.ts';
import { referencesOf } from '../insider/price.ts';
import { pricedRowOf, priceReasons, tradePrice } from '../insider/reference-price.ts';
import { isOpenMarketCode, type Side, type Trade } from '../insider/trade.ts';
import { compareTrades, isOpenMarket, tradesOf } from '../insider/trades.ts';
import { dollarsFromCents } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import type { Insiders } from '../wire/brief.ts';
import type { TradeKind, TransactionItem } from '../wire/transaction.ts';
import type { BriefInput } from './input.ts';

/** What decides of a trade. */
export type WeighedTrade = Pick<Trade, 'side' | 'kind' | 'valueCents' | 'reasons'>;

/** Rule 8.6: bytes of JSON that the footnote texts of a brief take at most. One form may have 99,000. */
const MAX_FOOTNOTE_BYTES = 8_000;

/** Rule 8.6: bytes of JSON that the transactions of a brief take at most, if they are more than one. */
const MAX_TRANSACTION_BYTES = 20_000;

type Note = TransactionItem['footnotes'][number];

/** Rule 6.4: the Form 4 window, both ends included. */
export const FORM4_WINDOW_DAYS = 180;

export type Window = { readonly start: IsoDate; readonly end: IsoDate };

export function windowOf(asOf: IsoDate): Window {
  return { start: addDays(asOf, -FORM4_WINDOW_DAYS), end: asOf };
}

/** The Form 4 side of a brief, before anything is cut off for display. */
export type InsiderLeg = ReturnType<typeof insiderLeg>;

/**
 * Trades of the issuer in the ticker's own share class, placed in the window by transaction date.
 * Without coverage the stance is not_available, whatever is stored.
 */
export function insiderLeg(input: Omit<BriefInput, 'evidence'>, hasCoverage: boolean) {
  const window = windowOf(input.asOf);
  const considered = consideredTrades(input, window);
  const trades = considered.filter(isOpenMarket);
  const buys = trades.filter((trade) => trade.side === 'buy');
  const sells = trades.filter((trade) => trade.side === 'sell');
  const exempt = exemptFrom(input);
  const unreadable = considered.filter(
    ({ row, reasons }) => row.unreadable !== undefined && !reasons.includes('other_share_class'),
  );
  const contradicting = considered.filter(isContradicting);
  const unknown = unreadable.length + contradicting.length + input.unreadForms.length;
  const isOpen = exempt !== null || unknown > 0;
  const without = withoutTrades(hasCoverage, isOpen);
  return {
    window,
    /** P and S rows placed in the window, newest first. Includes rows that do not count, or could not be read. */
    considered,
    /** Any of these may be a purchase or a sale (rule 6.1). */
    unreadable,
    /** Forms call these a sale and mark them as acquired, or the other way round (rule 6.2): each was a trade. */
    contradicting,
    /** The open-market trades that count, newest first. */
    trades,
    /** The first of these on the wire. */
    shown: shownTrades(trades, input.resolution.kind === 'resolved' ? input.resolution.ticker : null),
    counts: {
      buys: buys.length,
      sells: sells.length,
      distinct_buyers: ownerGroups(buys),
      distinct_sellers: ownerGroups(sells),
      priced: trades.filter((trade) => trade.priced).length,
      unpriced: trades.filter((trade) => !trade.priced).length,
    },
    /** Why none had to be filed; null where the insiders had to, or did. */
    exempt,
    /** Forms 4 filed in the window that cannot be read. */
    unread: input.unreadForms,
    without,
    stance: stanceOver(trades, without),
    stanceDiscretionary: stanceOver(
      trades.filter(({ kind }) => kind === 'discretionary'),
      without,
    ),
    totals: insiderTotals(trades),
    netValueCents: weightOf(trades, 'buy').amount - weightOf(trades, 'sell').amount,
  };
}

/** @param isOpen none had to be filed, or what was filed cannot be read or used */
function withoutTrades(hasCoverage: boolean, isOpen: boolean): WithoutTrades {
  if (!hasCoverage) return 'not_covered';
  return isOpen ? 'not_available' : 'none_found';
}

/** The row is put aside by a rule: replaced, reported twice, or not an open-market trade of the security. */
const PUT_ASIDE: ReadonlySet<Reason> = new Set([
  'duplicate_trade',
  'equity_swap',
  'other_share_class',
  'superseded_by_amendment',
]);

export function isPutAside({ reasons }: Pick<Trade, 'reasons'>): boolean {
  return reasons.some((reason) => PUT_ASIDE.has(reason));
}

function isContradicting(trade: Trade): boolean {
  return trade.reasons.includes('acquired_disposed_mismatch') && !isPutAside(trade);
}

/** An officer or a director who filed shows that the issuer is not exempt, whatever its name (rule 6.13). */
function exemptFrom({ resolution, ownershipFilings, asOf }: Omit<BriefInput, 'evidence'>): Exempt | null {
  if (resolution.kind !== 'resolved') return null;
  const hasFiled = ownershipFilings.some(
    ({ issuer, header, owners }) =>
      issuer.cik === resolution.issuerCik &&
      isVisible(header, asOf) &&
      owners.some(({ isOfficer, isDirector }) => isOfficer || isDirector),
  );
  return hasFiled ? null : exemptOf(resolution.name, asOf);
}

/** The newest trades, as many as a brief shows. */
export function displayedTrades({ trades, shown }: InsiderLeg): readonly Trade[] {
  return trades.slice(0, shown.length);
}

function consideredTrades(input: Omit<BriefInput, 'evidence'>, window: Window): Trade[] {
  const { resolution, ownershipFilings, asOf } = input;
  if (resolution.kind !== 'resolved' || resolution.issuerCik === null) return [];
  const own = ownershipFilings.filter((filing) => filing.issuer.cik === resolution.issuerCik);
  const all = tradesOf(own, asOf);
  const market = referencesOf(input.issuerPrices);
  const prices = all.filter(isOpenMarket).flatMap((trade) => tradePrice(pricedRowOf(trade)));
  return all
    .filter(
      ({ row, placedOn }) =>
        (isOpenMarketCode(row.code) || row.unreadable !== undefined) &&
        placedOn >= window.start &&
        placedOn <= window.end,
    )
    .map((trade) => withReasons(trade, shareClassReasons(trade, resolution)))
    .map((trade) => withReasons(trade, priceReasons(pricedRowOf(trade), market, prices)))
    .sort(compareTrades);
}

function withReasons(trade: Trade, reasons: Trade['reasons']): Trade {
  return reasons.length === 0 ? trade : { ...trade, reasons: [...trade.reasons, ...reasons] };
}

/** Reporting owners of one side, merged over the window where filings share an owner's CIK (rule 6.6). */
function ownerGroups(trades: readonly Trade[]): number {
  return countConnected(trades.map((trade) => trade.owners.map((owner) => owner.cik)));
}

/** The stance of trades (rule 7.4). */
export function stanceOver(trades: readonly WeighedTrade[], without: WithoutTrades): Insiders['stance'] {
  return insiderStance(without, weightOf(trades, 'buy'), weightOf(trades, 'sell'));
}

/** Money of the trades that count, by side and kind (rule 6.11). */
export function insiderTotals(trades: readonly WeighedTrade[]): Insiders['totals'] {
  const sells = ofSide(trades, 'sell');
  return {
    buy_value_usd: dollarsOf(ofSide(trades, 'buy')),
    sell_value_usd: dollarsOf(sells),
    plan_sell_value_usd: dollarsOf(ofKinds(sells, 'plan')),
    tax_or_exercise_sell_value_usd: dollarsOf(ofKinds(sells, 'tax_cover', 'exercise_and_sell')),
    discretionary_net_usd: dollarsOf(ofKinds(trades, 'discretionary'), signedCentsOf),
  };
}

/**
 * What the trades of one side weigh in the stance (rule 7.4). A purchase at a price of 0 is no purchase on
 * the market: it counts and decides nothing.
 */
export function weightOf(trades: readonly WeighedTrade[], side: 'buy' | 'sell'): Weight {
  const deciding = ofSide(trades, side).filter(
    ({ reasons }) => side === 'sell' || !reasons.includes('price_zero'),
  );
  return {
    exists: deciding.length > 0,
    amount: deciding.reduce((sum, trade) => sum + (centsOf(trade) ?? 0n), 0n),
  };
}

/** Null when there are trades and none has a known price. */
function dollarsOf(trades: readonly WeighedTrade[], centsEach = centsOf): number | null {
  const known = trades.flatMap((trade) => centsEach(trade) ?? []);
  if (known.length === 0 && trades.length > 0) return null;
  return dollarsFromCents(known.reduce((sum, cents) => sum + cents, 0n));
}

function signedCentsOf(trade: WeighedTrade): bigint | null {
  const cents = centsOf(trade);
  return cents !== null && trade.side === 'sell' ? -cents : cents;
}

function centsOf({ valueCents, reasons }: WeighedTrade): bigint | null {
  return reasons.includes('price_implausible') ? null : valueCents;
}

function ofSide(trades: readonly WeighedTrade[], side: Side): WeighedTrade[] {
  return trades.filter((trade) => trade.side === side);
}

function ofKinds(trades: readonly WeighedTrade[], ...kinds: readonly TradeKind[]): WeighedTrade[] {
  return trades.filter(({ kind }) => kind !== null && kinds.includes(kind));
}

/**
 * The newest trades as a brief shows them: as many as allowed, of groups of many owners as many as there is
 * room for. Each footnote text stands once, because tranches of one sale repeat all of theirs.
 */
function shownTrades(trades: readonly Trade[], ticker: Ticker | null): TransactionItem[] {
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
