import Big from 'big.js';
import { addDays } from '../calendar.ts';
import type { OwnershipRow } from '../filing/filing.ts';
import { groupBy } from '../group.ts';
import { footnotesOf } from './kind.ts';
import { SAME_TRADE_DAYS } from './thresholds.ts';
import { securityKey, type Trade } from './trade.ts';

/** Words of a name that many holders have: `By LLC`, `Family Trust`, `See footnote`. */
const COMMON = new Set(
  'a an as and benefit by directly for held her his in indirectly is its of on or our see shares the their this through to under with account child children company corp corporation co daughter estate family foundation footnote footnotes foundations fund funds gp inc ira irrevocable limited liability living llc llp lp ltd managed joint partnership plc revocable person persons reporting self son spouse trust trustee trusts wife husband entity entities 401'.split(
    ' ',
  ),
);

const HELD = /\b(?:held|holds?|owned|owns)\b/i;

/** `Smith & Hood Investments, LLC` */
const ENTITY = /\b((?:[A-Z][\w&.'’-]*,? |& |of ){1,6}?)(?:L\.?L\.?C|L\.?P|Ltd|Inc|Fund|Trust|Partners)\b/g;

export function sharesReportingOwner(a: Pick<Trade, 'owners'>, b: Pick<Trade, 'owners'>): boolean {
  return a.owners.some((owner) => b.owners.some((other) => other.cik === owner.cik));
}

/** How an amount is compared: {@link plainDecimal}, or rounded as in a data set. */
export type AmountText = (decimal: string | null) => string;

/**
 * How the amounts of these rows are compared: as exactly as the least exact of them. A form that was
 * imported from a data set has two decimals where its document may have more (rule 6.1).
 */
export function amountAmong(trades: readonly Trade[]): AmountText {
  return trades.some(isRounded) ? roundedDecimal : plainDecimal;
}

/** Groups of rows with equal keys, each with its amounts as {@link amountAmong} its own rows. */
export function groupsAlike(
  trades: readonly Trade[],
  keyOf: (trade: Trade, amountOf: AmountText) => string,
): (readonly Trade[])[] {
  const alike = groupBy(trades, (trade) => keyOf(trade, roundedDecimal));
  return [...alike.values()].flatMap((group) =>
    group.some(isRounded) ? [group] : [...groupBy(group, (trade) => keyOf(trade, plainDecimal)).values()],
  );
}

/** Every document names the version of its schema; a data set does not. */
export function isRounded({ filing }: Trade): boolean {
  return filing.schemaVersion === null;
}

/**
 * Rows with equal fingerprints may be one trade (rule 6.6): issuer, security, date, code, shares,
 * price and shares owned after, whatever the spelling of titles and amounts.
 */
export function fingerprint(trade: Trade, amountOf: AmountText): string {
  return `${blockKey(trade, amountOf)}|${amountOf(trade.row.sharesOwnedAfter)}`;
}

/** The same without the shares owned after, which differ where one of two filers holds more than the block. */
export function blockKey({ filing, row }: Trade, amountOf: AmountText): string {
  const identity = [filing.issuer.cik, securityKey(row.securityTitle), row.transactionDate, row.code];
  return [...identity, amountOf(row.shares), amountOf(row.pricePerShare)].join('|');
}

/** For rows with equal fingerprints: filed at most {@link SAME_TRADE_DAYS} days apart, with a common owner. */
export function isSameTrade(a: Trade, b: Trade): boolean {
  return isFiledNear(a, b) && sharesReportingOwner(a, b);
}

/**
 * For rows with equal fingerprints: whether owners without a common form report one block, as a fund and its
 * partner do. Then price and shares owned after are known, and their forms show one group.
 */
export function isSameBlock(a: Trade, b: Trade): boolean {
  return isBlock(a, b) && a.row.sharesOwnedAfter !== null && isOneGroup(a, b);
}

/** For rows with equal block keys: the same, where the rows themselves show who holds for whom. */
export function isBlockHeldTogether(a: Trade, b: Trade): boolean {
  return isBlock(a, b) && !sharesReportingOwner(a, b) && isHeldTogether(a, b);
}

function isBlock(a: Trade, b: Trade): boolean {
  return a.row.transactionDate !== null && a.row.pricePerShare !== null && isFiledNear(a, b);
}

function isFiledNear(a: Trade, b: Trade): boolean {
  const [from, to] = [a.filing.header.filedDate, b.filing.header.filedDate].sort();
  return from !== undefined && to !== undefined && to <= addDays(from, SAME_TRADE_DAYS);
}

type Amount = 'shares' | 'pricePerShare' | 'sharesOwnedAfter';

/** Absent and zero amounts are never the same. */
export function isSameAmount(own: Trade, other: Trade, amount: Amount): boolean {
  return /[1-9]/.test(amountAmong([own, other])(own.row[amount])) && isSpelled(own, other, amount);
}

/** Also when both are absent or zero. */
export function isSpelled(own: Trade, other: Trade, amount: Amount): boolean {
  const amountOf = amountAmong([own, other]);
  return amountOf(own.row[amount]) === amountOf(other.row[amount]);
}

/** `10`, `10.0` and `010.00` are one amount; empty when there is none. */
export function plainDecimal(decimal: string | null): string {
  if (decimal === null) return '';
  const trimmed = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
  return trimmed.replace(/^0+(?=\d)/, '');
}

/** `224.048` as a data set has it: `224.05`. */
function roundedDecimal(decimal: string | null): string {
  const plain = plainDecimal(decimal);
  return /\.\d{3}/.test(plain) ? plainDecimal(new Big(plain).toFixed(2, Big.roundHalfUp)) : plain;
}

/**
 * Whether two reports of equal trades without a common owner show that one group reports one block (rule 6.6):
 * one names an owner of the other, both hold through one entity, or an indirect holder shares the other's name.
 */
function isOneGroup(a: Trade, b: Trade): boolean {
  const isNamed = (text: Trade, named: Trade): boolean => namesOwner(textsOf(text), named);
  return isNamed(a, b) || isNamed(b, a) || isOneHolder(a, b) || (isIndirect(a, b) && sharesName(a, b));
}

/** The same for trades that differ in what is owned after them: their own rows show it. */
function isHeldTogether(a: Trade, b: Trade): boolean {
  const isHeldBy = (held: Trade, holder: Trade): boolean =>
    held.row.ownership === 'indirect' && namesOwner(holderTexts(held), holder);
  return isHeldBy(a, b) || isHeldBy(b, a) || isOneHolder(a, b);
}

function textsOf({ filing, row }: Trade): string[] {
  return [row.natureOfOwnership ?? '', filing.remarks, ...filing.footnotes.map(({ text }) => text)];
}

/** Who holds the shares, as the nature of ownership and footnotes of the row say. */
function holderTexts({ filing, row }: Trade): string[] {
  const notes = footnotesOf(filing, row).map(({ text }) => text);
  return [row.natureOfOwnership ?? '', ...notes.filter((text) => HELD.test(text))];
}

function isOneHolder(a: Trade, b: Trade): boolean {
  if (a.row.ownership !== 'indirect' || b.row.ownership !== 'indirect') return false;
  const others = holdersOf(b);
  return holdersOf(a).some((name) => others.includes(name));
}

/** The words of the nature of ownership, and of each entity that is named; never of the issuer. */
function holdersOf(trade: Trade): string[] {
  const named = holderTexts(trade).flatMap((text) => [...text.matchAll(ENTITY)].map(([, name = '']) => name));
  const holders = [trade.row.natureOfOwnership ?? '', ...named].map((name) => wordsOf(name).join(' '));
  const issuer = wordsOf(trade.filing.issuer.name).join(' ');
  return holders.filter((name) => name !== '' && name !== issuer);
}

function isIndirect(...trades: readonly { readonly row: Pick<OwnershipRow, 'ownership'> }[]): boolean {
  return trades.some(({ row }) => row.ownership === 'indirect');
}

/** One text has all words of a name, of two words at least: `Ada Wren` names `WREN ADA`. */
function namesOwner(texts: readonly string[], { owners }: Trade): boolean {
  const known = texts.map((text) => new Set(wordsOf(text)));
  return owners.some(({ name }) => {
    const words = wordsOf(name);
    return words.length > 1 && known.some((text) => words.every((word) => text.has(word)));
  });
}

/** A family, or the funds of one sponsor. */
function sharesName(a: Trade, b: Trade): boolean {
  const first = ({ owners }: Trade): string[] => owners.map(({ name }) => wordsOf(name)[0] ?? '');
  return first(a).some((word) => word !== '' && first(b).includes(word));
}

/** In lower case, without legal forms and single letters. */
function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .replace(/[.'’]/g, '')
    .split(/[^a-z0-9]+/);
  return words.filter((word) => (word.length > 1 || /\d/.test(word)) && !COMMON.has(word));
}
