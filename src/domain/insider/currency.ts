import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import { footnotesOf } from './footnote.ts';
import { withoutParValue } from './title.ts';

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
const CONVERTED =
  /(?<!\bnot (?:been )?)\b(?:convert|translat)ed\b|\bequivalent\b|\bin (?:u\.?s\.?|united states) (?:dollars|currency)\b/;

/** Whether a footnote of the row, or its title, gives its price in another currency (rule 6.2). */
export function isForeignPrice(filing: Ownership, row: OwnershipRow): boolean {
  const title = row.securityTitle.toLowerCase();
  // A title with a figure names the par value: `Ordinary Shares, CHF 0.10`.
  if (FOREIGN.test(title) && !/\d/.test(title)) return true;
  const notes = footnotesOf(filing, row).map(({ text }) => withoutParValue(text));
  return notes.some((note) => /\bprices?\b/.test(note) && FOREIGN.test(note) && !CONVERTED.test(note));
}
