import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import type { Accession, IsoDate } from '../ids.ts';
import { productToCents } from '../money.ts';
import type { Reason } from '../quality/quality.ts';
import type { TradeKind } from '../wire/transaction.ts';
import { footnoteReasons, footnotesOf, KIND_REASONS, kindOf } from './kind.ts';
import { EARLIEST_PLAUSIBLE_TRADE } from './thresholds.ts';

const CURRENCY = /(?:(?:us|c|cdn|a|hk)?\$|usd|cad|eur|gbp|nis|rmb|€|£)/.source;

/** Without a currency a number may mean something else, unless it is a fraction of one. */
const AMOUNT = `(?:${CURRENCY} ?[\\d.]+|(?<![\\d.])0?\\.\\d+(?![\\d.%]))`;

/** `$0.01 par value`, `par value $.01 per share`, `no par value`, `nominal value EUR 0.01`. */
const PAR_VALUE = new RegExp(
  `(?:${AMOUNT}|\\bno|\\bwithout)? ?\\b(?:par(?: val(?:ue)?)?|nominal value)\\b` +
    `(?: of)?(?: ${AMOUNT})?(?: (?:per|a|each) share| each)?`,
  'g',
);

const NATIONS =
  'canadian|australian|hong kong|singapore|(?:new )?taiwan(?:ese)?|brazilian|mexican|indian|swiss|swedish|norwegian|danish|south african|israeli|japanese|chinese|british';

const UNITS =
  'dollars?|reais|real|pesos?|rupees?|francs?|kron[aeo]r?|rand|(?:new )?shekels?|yen|yuan|pounds?|currency|funds';

const NAMES = 'euros?|pounds sterling|renminbi|new israeli shekels?';

const CODES =
  'cad|cdn|aud|hkd|sgd|twd|ntd|brl|mxn|inr|chf|sek|nok|dkk|zar|ils|nis|jpy|cny|rmb|krw|gbp|gbx|eur';

/** In lower case. */
const FOREIGN = new RegExp(
  `\\b(?:(?:${NATIONS}) (?:${UNITS})|${NAMES}|${CODES})\\b|(?<![a-z])(?:c|ca|cdn|cad|a|au|hk|nt)\\$|[€£¥]`,
);

/** `The price was translated from New Taiwan dollars` is a price in US dollars. */
const TRANSLATED =
  /(?<!\bnot (?:been )?)\b(?:convert|translat)ed\b|\bequivalent\b|\bin (?:u\.?s\.?|united states) (?:dollars|currency)\b/;

/** Securities that are priced and counted apart, the narrower first. */
const SECURITIES = {
  depositary: /\b[AG]D[SR]s?\b|\bdepositary (?:share|receipt)s?\b/i,
  warrant: /\bwarrants?\b/i,
  unit: /\bunits?\b/i,
  share: /\b(?:ordinary|common|underlying) shares?\b|\b(?:common|capital) stock\b|\bordinary\b/i,
};

type Security = keyof typeof SECURITIES;

/**
 * `Price per ADS`, `prices ranging from $2.70 to $2.80 per GDS`, `the price is that of one American Depositary
 * Share`. The price of an exercise is another one.
 */
const PRICE_OF =
  /(?<!\b(?:exercise|conversion|strike|subscription) )\bprices?\b(?:[^.;]|\.(?=\d)){0,120}?\b(?:per|for|of)\s+(?:(?:one|each|an?|the|every|single|whole|american|global)\s+){0,4}([ag]d[sr]s?|depositary (?:share|receipt)s?|warrants?|units?|(?:ordinary|common|underlying) shares?)\b/gi;

/** `The price per ordinary share was calculated by dividing the price per ADS by 20`. */
const CONVERTED = /\b(?:divid(?:ed|ing)|converted|equivalent)\b/i;

export type Side = 'buy' | 'sell' | 'other';

/** A non-derivative transaction row with its side and value (rule 6.2). */
export type Trade = {
  /** The transaction_id of rule 6.1, as {@link rowIdOf} writes it. */
  readonly id: string;
  readonly filing: Ownership;
  readonly row: OwnershipRow;
  /** Open-market side: P acquired is a buy, S disposed a sell, everything else other. */
  readonly side: Side;
  /** Of an open-market trade; null for other rows (rule 6.11). */
  readonly kind: TradeKind | null;
  /** The day that places the trade in the window (rule 6.4). */
  readonly placedOn: IsoDate;
  /** Whether its price in dollars is known and above zero. */
  readonly priced: boolean;
  /** Shares times price in cents, half-even; null when unpriced. */
  readonly valueCents: bigint | null;
  readonly owners: readonly ReportingOwner[];
  /** This filing first, then the others that report the same trade. */
  readonly accessions: readonly Accession[];
  /** The stored filing that this row of an amendment restates. */
  readonly amends: Accession | null;
  /** The newest amendment that restates this row; null when the row stands. */
  readonly supersededBy: Accession | null;
  readonly reasons: readonly Reason[];
};

/** Reads one row alone, without amendments, duplicates and share classes, which need other filings. */
export function tradeOf(filing: Ownership, row: OwnershipRow): Trade {
  const side = sideOf(row);
  const kind = kindOf(filing, row, side);
  const misfit = isPriced(row) ? misfitOf(filing, row) : null;
  const priced = isPriced(row) && misfit === null;
  const dateReasons = isPlausible(row.transactionDate, filing) ? [] : (['date_implausible'] as const);
  return {
    id: rowIdOf(filing.header.accession, row),
    filing,
    row,
    side,
    kind,
    placedOn: placedOn(filing, row),
    priced,
    valueCents: priced ? tradeValue(row) : null,
    owners: filing.owners,
    accessions: [filing.header.accession],
    amends: null,
    supersededBy: null,
    reasons: [
      ...(row.unreadable === undefined ? [] : (['row_unreadable'] as const)),
      ...dateReasons,
      ...exclusionReasons(row, side),
      ...unpricedReasons(row),
      ...(misfit !== null && isOpenMarketCode(row.code) ? [misfit] : []),
      ...kindReasons(side, kind),
      ...footnoteReasons(filing, row, isPriced(row)),
    ],
  };
}

/** `<accession>:nd:<row>`, or `:d:` in the derivative table; rows count from the start of their table. */
export function rowIdOf(accession: Accession, { table, row }: Pick<OwnershipRow, 'table' | 'row'>): string {
  return `${accession}:${table === 'derivative' ? 'd' : 'nd'}:${row}`;
}

/**
 * The days by which a row is compared with others, as filed and as placed: rows of different days never decide
 * about each other (rules 6.5 to 6.7). A row without a date has the day `none`.
 */
export function daysOf(filing: Ownership, row: OwnershipRow): string[] {
  return [...new Set([row.transactionDate ?? 'none', placedOn(filing, row)])];
}

export function isOpenMarketCode(code: string | null): boolean {
  return code === 'P' || code === 'S';
}

function sideOf(row: OwnershipRow): Side {
  if (row.code === 'P' && row.acquiredDisposed === 'A') return 'buy';
  return row.code === 'S' && row.acquiredDisposed === 'D' ? 'sell' : 'other';
}

/** Why the price does not go with the shares; null if it does. Other codes have no price of a market. */
function misfitOf(filing: Ownership, row: OwnershipRow): Reason | null {
  if (isForeignPrice(filing, row)) return 'foreign_currency_price';
  return isOpenMarketCode(row.code) && isPriceOfOther(filing, row) ? 'price_of_other_security' : null;
}

function tradeValue(row: OwnershipRow): bigint | null {
  if (row.shares === null || row.pricePerShare === null) return null;
  return productToCents(row.shares, row.pricePerShare);
}

function isPriced({ pricePerShare }: OwnershipRow): boolean {
  return pricePerShare !== null && isPositive(pricePerShare);
}

/** Of a decimal string: no minus, and a digit that is not zero. */
function isPositive(decimal: string): boolean {
  return !decimal.startsWith('-') && /[1-9]/.test(decimal);
}

function kindReasons(side: Side, kind: TradeKind | null): readonly Reason[] {
  return side === 'sell' && kind !== null ? KIND_REASONS[kind] : [];
}

function exclusionReasons(row: OwnershipRow, side: Side): Reason[] {
  if (!isOpenMarketCode(row.code)) return [];
  const reasons: Reason[] = [];
  if (side === 'other') reasons.push('acquired_disposed_mismatch');
  if (row.equitySwap) reasons.push('equity_swap');
  if (row.shares === null || !isPositive(row.shares)) reasons.push('shares_not_positive');
  return reasons;
}

function unpricedReasons(row: OwnershipRow): Reason[] {
  if (!isOpenMarketCode(row.code) || isPriced(row)) return [];
  if (row.pricePerShare === null) return ['price_missing'];
  return [isPositive(row.pricePerShare.replace('-', '')) ? 'price_implausible' : 'price_zero'];
}

function isPlausible(date: IsoDate | null, filing: Ownership): date is IsoDate {
  return date !== null && date >= EARLIEST_PLAUSIBLE_TRADE && date <= filing.header.filedDate;
}

/** A mistyped date (2035, 0022) gives way to the period of report, and that one to the filing date. */
function placedOn(filing: Ownership, row: OwnershipRow): IsoDate {
  if (isPlausible(row.transactionDate, filing)) return row.transactionDate;
  return isPlausible(filing.periodOfReport, filing) ? filing.periodOfReport : filing.header.filedDate;
}

/** Whether a footnote of the row, or its title, gives its price in another currency (rule 6.2). */
function isForeignPrice(filing: Ownership, row: OwnershipRow): boolean {
  const title = row.securityTitle.toLowerCase();
  // A title with a figure names the par value: `Ordinary Shares, CHF 0.10`.
  if (FOREIGN.test(title) && !/\d/.test(title)) return true;
  const notes = footnotesOf(filing, row).map(({ text }) => withoutParValue(text));
  return notes.some((note) => /\bprices?\b/.test(note) && FOREIGN.test(note) && !TRANSLATED.test(note));
}

/** Whether the form says that the price of a row is that of another security than the row counts (rule 6.2). */
function isPriceOfOther(filing: Ownership, row: OwnershipRow): boolean {
  const counted = securityIn(row.securityTitle) ?? 'share';
  const texts = [...footnotesOf(filing, row).map(({ text }) => text), filing.remarks];
  const priced = texts.filter((text) => !CONVERTED.test(text)).flatMap(pricedIn);
  return priced.length > 0 && !priced.includes(counted);
}

function pricedIn(text: string): Security[] {
  return [...text.matchAll(PRICE_OF)].flatMap(([, name = '']) => securityIn(name) ?? []);
}

/** The one that is named first: `Ordinary Shares, represented by ADSs` are ordinary shares. */
function securityIn(text: string): Security | null {
  const found = (Object.keys(SECURITIES) as Security[]).flatMap((security) => {
    const at = text.search(SECURITIES[security]);
    return at === -1 ? [] : [{ security, at }];
  });
  const [first] = found.sort((a, b) => a.at - b.at);
  return first?.security ?? null;
}

/** Titles are typed by hand: case, dots, blanks and the par value make no other security. */
export function securityKey(title: string): string {
  return withoutParValue(title).replace(/[^a-z0-9]/g, '');
}

/** In lower case: `ordinary shares` of `Ordinary Shares, par value EUR 0.10`. */
function withoutParValue(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').replace(PAR_VALUE, '');
}
