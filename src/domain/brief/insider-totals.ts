import { insiderStance, type Weight, type WithoutTrades } from '../holders/stance.ts';
import type { Side, Trade } from '../insider/trade.ts';
import { dollarsFromCents } from '../money.ts';
import type { Insiders } from '../wire/brief.ts';
import type { TradeKind } from '../wire/transaction.ts';

/** What decides of a trade. */
export type WeighedTrade = Pick<Trade, 'side' | 'kind' | 'valueCents' | 'reasons'>;

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
