import type { OwnershipRow } from '../filing/filing.ts';
import { footnotesOf } from './footnote.ts';
import type { Trade } from './trade.ts';

/** Words of a name that many holders have: `By LLC`, `Family Trust`, `See footnote`. */
const COMMON = new Set(
  'a an as and benefit by directly for held her his in indirectly is its of on or our see shares the their this through to under with account child children company corp corporation co daughter estate family foundation footnote footnotes foundations fund funds gp inc ira irrevocable limited liability living llc llp lp ltd managed joint partnership plc revocable person persons reporting self son spouse trust trustee trusts wife husband entity entities 401'.split(
    ' ',
  ),
);

/**
 * Whether two reports of equal trades without a common owner show that one group reports one block (rule 6.6):
 * one names an owner of the other, both hold through one entity, or an indirect holder shares the other's name.
 */
export function isOneGroup(a: Trade, b: Trade): boolean {
  const isNamed = (text: Trade, named: Trade): boolean => namesOwner(textsOf(text), named);
  return isNamed(a, b) || isNamed(b, a) || isOneHolder(a, b) || (isIndirect(a, b) && sharesName(a, b));
}

/** The same for trades that differ in what is owned after them: their own rows show it. */
export function isHeldTogether(a: Trade, b: Trade): boolean {
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

const HELD = /\b(?:held|holds?|owned|owns)\b/i;
/** `Smith & Hood Investments, LLC` */
const ENTITY = /\b((?:[A-Z][\w&.'’-]*,? |& |of ){1,6}?)(?:L\.?L\.?C|L\.?P|Ltd|Inc|Fund|Trust|Partners)\b/g;

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
