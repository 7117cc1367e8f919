import Big from 'big.js';
import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import type { Reason } from '../quality/quality.ts';
import type { TradeKind } from '../wire/transaction.ts';

const SENTENCE_END = /(?<=[.;])\s+(?=[("A-Z])/;

/** `The sales reported on this Form 4`; not `options to purchase shares reported herein`. */
const ON_THIS_FORM =
  /\b(?<!\bto\s)(?:transactions?|trades?|sales?|purchases?|dispositions?|acquisitions?|sold|purchased)\s+(?:[\w()]+\s+){0,3}?(?:reported|disclosed|described|shown|listed|reflected|set forth)\s+(?:(?:in|on|by)\s+this\s+(?:form|report|filing|statement)\b|herein\b)/i;

/** `Certain transactions`, `none of the sales`, `may be sold`, though not `May 28`: not what happened to all of them. */
const NOT_ALL =
  /\b(?:certain|some|several|other than|except|excluding|portion|part(?:ly|ially)?|not all|respective(?:ly)?|only|primarily|no|none|neither|may(?!\s+(?:of\s+)?\d)|will|intends?|footnotes?)\b/i;

/** What a sale of the kind is marked with. */
export const KIND_REASONS: Readonly<Record<TradeKind, readonly Reason[]>> = {
  discretionary: [],
  plan: ['plan_sale'],
  tax_cover: ['sell_to_cover'],
  exercise_and_sell: ['exercise_and_sell'],
};

/** Exercises of options and vested units. A conversion (C) of one class into another is none. */
const EXERCISES: ReadonlySet<string | null> = new Set(['M', 'X', 'O']);

/** `sold solely to satisfy the reporting person's tax withholding obligations`, `sold for tax liability`. */
const TAX_COVER =
  /\bsell[\s-]to[\s-]cover\b|\b(?:to|for)\s+(?:\w+\s+){0,3}?(?:cover(?:ing)?|satisf(?:y|ying|action)|pay(?:ing|ment)?|meet|fund(?:ing)?|accommodat(?:e|ing)|settl(?:e|ing))\b[^.;]{0,100}\b(?:tax(?:es|able)?|withholding)\b|\b(?:for|with|to)\s+(?:[\w'’]+\s+){0,4}?tax(?:es)?\s+(?:\w+\s+){0,3}?(?:liabilit|obligation|withholding|payment)/gi;

/** `approximately 1,337 of the shares were sold to cover`: the rest of the row had another reason. */
const IN_PART = /\b(?:partial(?:ly)?|partly|in part|out of the total)\b/i;

/**
 * `sold in an underwritten public offering to pay taxes`; not `units that vested upon the initial public offering`, nor
 * `shares acquired in the initial public offering`.
 */
const SOLD_IN_OFFERING =
  /\bs(?:old|ales?|elling)\b[^.;]{0,80}?\b(?:in|part of|through|under|pursuant to)\s+(?:an?|the|this|such|its|[\w-]+['’]s)\s+(?:[\w'’-]+\s+){0,3}?offering\b(?!\s+periods?)/i;

const VERBS =
  'made|effected|executed|sold|purchased|bought|acquired|conducted|completed|covered|associated|related|been|were|was';

const NOUNS = 'transactions?|trades?|sales?|purchases?|trading|plans?|rules?|sec|part|accordance|connection';
const LINKS = 'pursuant|subject|under|by|to|of|in|as|with|through|a|an|any|the|this|these|such';

/** Ends in what denies the words that follow: `was not effected pursuant to a Rule `. */
const DENIED_BEFORE = new RegExp(
  `\\b(?:not|nor|neither|never|none|no|without|outside|other than)\\s+(?:(?:${VERBS}|${NOUNS}|${LINKS})\\s+)*$`,
  'i',
);

const DENIED_AFTER =
  /^(?:\([^)]*\))*\s*(?:trading |sales )?(?:plan|arrangement)s?\s+(?:was|were|is|are) not\b/i;

/** What a sentence about all trades of a side names. */
const TRADES = {
  buy: /\b(?:transactions?|trades?|purchases?|purchased|acquisitions?)\b/i,
  sell: /\b(?:transactions?|trades?|sales?|sold|dispositions?)\b/i,
};

/** `were effected pursuant to a Rule 10b5-1`: done under it. That a plan was adopted says nothing of a trade. */
const UNDER_PLAN =
  /\b(?:made|effected|executed|sold|purchased|conducted|completed|were|was)\b[^.;]{0,40}\b(?:pursuant to|under|in accordance with|in connection with|through)\b[^.;]{0,60}10b-?5/i;

/**
 * The kind of an open-market trade; null for other rows. What the form states goes before what it shows: a
 * sale that a footnote of its row, or the form, says covers taxes and nothing else, a trade under a plan, a sale of shares
 * exercised on the same day.
 */
export function kindOf(
  filing: Ownership,
  row: OwnershipRow,
  side: 'buy' | 'sell' | 'other',
): TradeKind | null {
  if (side === 'other' || row.table === 'derivative') return null;
  const notes = footnotesOf(filing, row).map(({ text }) => text);
  const ofForm = formStatements(filing).filter((sentence) => TRADES[side].test(sentence));
  const said = [...notes, ...ofForm];
  const isOffered = said.some((note) => SOLD_IN_OFFERING.test(note));
  if (side === 'sell' && !isOffered && said.some(coversTax)) return 'tax_cover';
  const isPlanForm = filing.is10b51 === true || ofForm.some(statesPlan);
  if (isPlanned(notes, isPlanForm)) return 'plan';
  return side === 'sell' && exercisedSales(filing, row).includes(row) ? 'exercise_and_sell' : 'discretionary';
}

function coversTax(note: string): boolean {
  return !IN_PART.test(note) && statements(note, TAX_COVER).includes('stated');
}

/** What the row's own footnotes say overrules what the box, or a sentence, says of the form. */
function isPlanned(notes: readonly string[], isPlanForm: boolean): boolean {
  const said = notes.flatMap((note) => statements(note, PLAN_RULE));
  return said.includes('stated') || (isPlanForm && !said.includes('denied'));
}

function statesPlan(sentence: string): boolean {
  return UNDER_PLAN.test(sentence) && statements(sentence, PLAN_RULE).includes('stated');
}

/** Whether each mention in a text is stated or denied. */
function statements(text: string, pattern: RegExp): ('stated' | 'denied')[] {
  return [...text.matchAll(new RegExp(pattern, 'gi'))].map(({ 0: words, index }) => {
    const isDenied =
      DENIED_BEFORE.test(text.slice(0, index)) || DENIED_AFTER.test(text.slice(index + words.length));
    return isDenied ? 'denied' : 'stated';
  });
}

/** Whether the form shows shares exercised on the row's day. */
export function showsExercise({ rows }: Ownership, { transactionDate }: OwnershipRow): boolean {
  return rows.some((row) => row.transactionDate === transactionDate && isExercise(row));
}

function isExercise({ table, code, acquiredDisposed }: OwnershipRow): boolean {
  return table === 'non_derivative' && EXERCISES.has(code) && acquiredDisposed === 'A';
}

/**
 * The form's sales of the row's day and line of ownership that the shares exercised there on that day cover, in the
 * order of the rows: a trust sells other shares than those that its settlor exercised.
 */
function exercisedSales({ rows }: Ownership, sale: OwnershipRow): OwnershipRow[] {
  const ofDay = rows.filter((row) => dayAndLineOf(row) === dayAndLineOf(sale));
  const exercised = ofDay.filter(isExercise);
  let left = exercised.reduce((sum, row) => sum.plus(sharesOf(row)), new Big(0));
  return ofDay.filter((row) => {
    const sold = sharesOf(row);
    const isCovered = row.code === 'S' && row.acquiredDisposed === 'D' && sold.gt(0) && left.gte(sold);
    if (isCovered) left = left.minus(sold);
    return isCovered;
  });
}

function dayAndLineOf(row: OwnershipRow): string {
  return [row.table, row.transactionDate, row.ownership, natureOf(row)].join('|');
}

/** `By Trust` and `by trust.` are one line of ownership. */
export function natureOf({ natureOfOwnership }: OwnershipRow): string {
  return (natureOfOwnership ?? '').toLowerCase().replace(/[^a-z0-9]/g, '');
}

function sharesOf({ shares }: OwnershipRow): Big {
  return new Big(shares ?? 0);
}

/**
 * Sentences that speak of every transaction of the form: of its remarks, which belong to no row, and of the
 * footnotes that name the form itself.
 */
function formStatements({ remarks, footnotes }: Pick<Ownership, 'remarks' | 'footnotes'>): string[] {
  const ofNotes = footnotes.flatMap(({ text }) =>
    text.split(SENTENCE_END).filter((one) => ON_THIS_FORM.test(one)),
  );
  return [...remarks.split(SENTENCE_END), ...ofNotes].filter((sentence) => !NOT_ALL.test(sentence));
}

const WEIGHTED_AVERAGE = /weighted[\s-]*average/i;
/** `10b5-1` in its spellings; a bare `10b-5` is the anti-fraud rule and no trading plan. */
const PLAN_RULE = /10b-?5(?:\s*[-‐‑‒–—]\s*|\.)?1(?!\d)/i;
/** `Each American Depositary Share represents five Common Shares`: one security is counted in two ways. */
const DEPOSITARY_RATIO = /(\bAD[SR]s?\b|depositary (share|receipt)s?)[^.;]{0,80}\brepresent/i;

/** Elements of the form by the member of a row that shows their value on the wire. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['transactionCoding', 'code'],
  ['transactionCode', 'code'],
  ['transactionShares', 'shares'],
  ['transactionPricePerShare', 'price_per_share'],
  ['transactionAcquiredDisposedCode', 'acquired_disposed'],
  ['sharesOwnedFollowingTransaction', 'shares_owned_after'],
  ['directOrIndirectOwnership', 'ownership'],
  ['equitySwapInvolved', 'equity_swap'],
  ['underlyingSecurityTitle', 'underlying.title'],
  ['underlyingSecurityShares', 'underlying.shares'],
]);

/** Elements without a member of their own have their name in snake_case. */
export function fieldOfElement(element: string, kind: OwnershipRow['rowKind']): string {
  if (kind === 'holding' && element === 'sharesOwnedFollowingTransaction') return 'shares_owned';
  return FIELDS.get(element) ?? element.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The footnotes that the row's elements refer to, each once, in the order of reference, with the values
 * that they qualify by their names on the wire.
 */
export function footnotesOf(filing: Ownership, row: OwnershipRow) {
  const qualified = new Map<string, string[]>();
  for (const [element, ids] of Object.entries(row.footnoteIds)) {
    const field = fieldOfElement(element, row.rowKind);
    for (const id of ids) qualified.set(id, [...new Set([...(qualified.get(id) ?? []), field])]);
  }
  return [...qualified].flatMap(([id, qualifies]) => {
    const note = filing.footnotes.find((footnote) => footnote.id === id);
    return note === undefined ? [] : [{ id, text: note.text, qualifies }];
  });
}

/**
 * Reasons from the footnotes of a row, and from any footnote of the form about depositary shares (rule
 * 6.8). An average needs a price. A mention of a plan is no plan: the form has its own element for it.
 */
export function footnoteReasons(filing: Ownership, row: OwnershipRow, priced: boolean): Reason[] {
  const texts = footnotesOf(filing, row).map((note) => note.text);
  const mentions = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  const reasons: Reason[] = [];
  if (priced && mentions(WEIGHTED_AVERAGE)) reasons.push('weighted_average_price');
  if (mentions(PLAN_RULE)) reasons.push('footnote_mentions_10b5_1');
  // Any footnote of the form: its rows may count ordinary or depositary shares.
  if (filing.footnotes.some((note) => DEPOSITARY_RATIO.test(note.text))) reasons.push('depositary_ratio');
  return reasons;
}
