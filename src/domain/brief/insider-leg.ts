import { addDays, isVisible } from '../calendar.ts';
import { countConnected } from '../group.ts';
import type { WithoutTrades } from '../holders/stance.ts';
import type { IsoDate } from '../ids.ts';
import { shareClassReasons } from '../insider/class.ts';
import { type Exempt, exemptOf } from '../insider/exempt.ts';
import { referencesOf } from '../insider/price.ts';
import { pricedRowOf, priceReasons, tradePrice } from '../insider/reference-price.ts';
import { isOpenMarketCode, type Trade } from '../insider/trade.ts';
import { compareTrades, isOpenMarket, tradesOf } from '../insider/trades.ts';
import type { BriefInput } from './input.ts';
import { insiderTotals, stanceOver, weightOf } from './insider-totals.ts';
import { shownTrades } from './shown-trades.ts';

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
  const isOpen = exempt !== null || unreadable.length > 0 || input.unreadForms.length > 0;
  const without = withoutTrades(hasCoverage, isOpen);
  return {
    window,
    /** P and S rows placed in the window, newest first. Includes rows that do not count, or could not be read. */
    considered,
    /** Any of these may be a purchase or a sale (rule 6.1). */
    unreadable,
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

/** @param isOpen none had to be filed, or what was filed cannot be read */
function withoutTrades(hasCoverage: boolean, isOpen: boolean): WithoutTrades {
  if (!hasCoverage) return 'not_covered';
  return isOpen ? 'not_available' : 'none_found';
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
