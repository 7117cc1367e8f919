import type { Ownership, OwnershipRow } from '../filing/filing.ts';
import { footnotesOf } from './footnote.ts';

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

/** Whether the form says that the price of a row is that of another security than the row counts (rule 6.2). */
export function isPriceOfOther(filing: Ownership, row: OwnershipRow): boolean {
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
