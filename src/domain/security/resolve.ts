import { compare } from '../compare.ts';
import { type Cusip, type IsoDate, issuerOf, type Ticker } from '../ids.ts';
import {
  isOtherThanCommon,
  isOtherThanShare,
  isOtherThanShareOf,
  isPreferred,
  shareClassOf,
} from './class.ts';
import { agreeInFull } from './issuer-name.ts';
import {
  firstSeen,
  indexMappings,
  issuerIn,
  lastSeen,
  type MappingIndex,
  type SecurityMapping,
  type SecurityResolution,
} from './mapping.ts';
import { descriptionsOf, matchPicks, type Picks } from './match.ts';
import { isSameIssuer, pickCik, pickCusip } from './pick.ts';
import { givenUpOn, successorOf } from './successor.ts';
import { withoutSeparator } from './symbol.ts';

/** A source without a date counts as later than every other one. */
const UNDATED = '9999-12-31';

type Mappings = readonly SecurityMapping[] | MappingIndex;

/**
 * What a ticker stands for on the as-of date (rule 3.5). A CUSIP and a CIK are
 * combined only when their names are of one issuer. Several possible issuers give `ambiguous`, no mapping
 * gives `unknown`; it never guesses.
 *
 * @param mappings those of the symbol with and without its dot and, for sibling classes, those of the same
 * CUSIP issuer and the same CIK. More are harmless, and their order does not matter.
 */
export function resolveSecurity(ticker: Ticker, mappings: Mappings, asOf: IsoDate): SecurityResolution {
  const known = { index: indexMappings(mappings), asOf };
  const own = ownResolution(ticker, known);
  if (own.kind !== 'resolved' || own.cusip === null) return own;
  const today = renamed(own, own.cusip, known, [own.ticker]);
  return today === null || today === 'circle' ? own : today;
}

type Known = { readonly index: MappingIndex; readonly asOf: IsoDate };

/** What the statements of the ticker itself say, whoever has it today. */
function ownResolution(ticker: Ticker, { index, asOf }: Known): SecurityResolution {
  const known = canonicalTicker(ticker, index);
  const candidates = mappingsOf(known, index);
  const ofCusips = candidates.filter((mapping) => mapping.kind === 'cusip');
  const cusip = pickCusip(ofCusips, asOf);
  const names = descriptionsOf(cusip, index);
  const stated = candidates.filter((mapping) => mapping.kind === 'cik');
  const issuers = stated.length > 0 ? stated : issuersOfSiblings(known, { cusip, names }, { index, asOf });
  const cik = pickCik(issuers, asOf, { names, isLater: cusip.kind === 'one' && cusip.isLater });
  const agreed = matchPicks({ cusip, cik }, index, asOf);
  // What a sibling says takes nothing from what sources say of the ticker itself.
  const isSafe = stated.length > 0 || (agreed.cusip === cusip && agreed.cik.kind === 'one');
  const matched: Picks = isSafe ? agreed : { cusip, cik: { kind: 'none' } };
  const picks = [matched.cusip, matched.cik];
  const rivals = picks.flatMap((pick) => (pick.kind === 'several' ? pick.mappings : []));
  if (rivals.length > 0) return { kind: 'ambiguous', ticker, candidates: namesOf(rivals) };
  if (picks.every((pick) => pick.kind === 'none')) return { kind: 'unknown', ticker };
  return resolved(known, matched, index);
}

/**
 * What sources say of the issuer under its other symbols: forms of Alphabet name `GOOG`, never `GOOGL`. Only of one
 * issuer by the digits that those symbols have on the day and by its whole name, and for shares.
 */
function issuersOfSiblings(
  ticker: Ticker,
  { cusip, names }: { readonly cusip: Picks['cusip']; readonly names: readonly string[] },
  { index, asOf }: Known,
): SecurityMapping[] {
  const issuer = cusip.kind === 'one' ? issuerIn(cusip.mapping) : null;
  if (cusip.kind !== 'one' || issuer === null) return [];
  const symbols = new Set((index.byIssuer.get(issuer) ?? []).map(({ symbol }) => symbol));
  if (!isShare(ticker, cusip.mapping, symbols) || isWarrantOf(ticker, symbols)) return [];
  const issuers = [...new Set([...symbols].map(withoutSeparator))].flatMap((bare) => {
    const own = index.byBareSymbol.get(bare) ?? [];
    const named = own.filter(
      ({ kind, name }) => kind === 'cik' && names.some((one) => agreeInFull(one, name)),
    );
    // No form names one of the hundred funds of a trust.
    if (named.length === 0) return [];
    const ofCusips = own.filter(({ kind }) => kind === 'cusip');
    const pick = pickCusip(ofCusips, asOf);
    return pick.kind === 'one' && issuerIn(pick.mapping) === issuer ? named : [];
  });
  return new Set(issuers.map(({ cik }) => cik)).size === 1 ? issuers : [];
}

/** `XYZW` beside `XYZ`: the description of a warrant may be cut off before it says so. */
function isWarrantOf(ticker: Ticker, symbols: ReadonlySet<string>): boolean {
  return /[WRU]$/.test(ticker) && symbols.has(ticker.slice(0, -1));
}

/**
 * The same security under its ticker of today (rule 3.10); null where it has the ticker still. `circle`: its
 * successors lead back to one of `followed`, so none of them is the ticker of today.
 */
function renamed(
  own: Resolved,
  cusip: Cusip,
  known: Known,
  followed: readonly Ticker[],
): SecurityResolution | 'circle' | null {
  const { index, asOf } = known;
  const successor = successorOf(own.ticker, cusip, known);
  if (successor === null) return null;
  const next = ownResolution(successor, known);
  if (next.kind !== 'resolved' || next.cusip === null) return null;
  if (followed.includes(next.ticker)) return 'circle';
  const last = renamed(next, next.cusip, known, [...followed, next.ticker]);
  if (last === 'circle') return last;
  const now = last ?? next;
  if (now.kind !== 'resolved' || now.cusip === null) return null;
  if (issuerOf(now.cusip) !== issuerOf(cusip)) return null;
  const since = givenUpOn(own.ticker, cusip, known) ?? '';
  const owners = mappingsOf(own.ticker, index).filter(
    (one) => one.kind === 'cik' && one.cik !== now.issuerCik && (lastSeen(one, asOf) ?? '') > since,
  );
  if (owners.length === 0) return { ...now, formerTicker: own.ticker };
  const former = { cusip: now.cusip, cik: now.issuerCik, name: now.name };
  return { kind: 'ambiguous', ticker: own.ticker, candidates: namesOf([former, ...owners]) };
}

type Resolved = Extract<SecurityResolution, { readonly kind: 'resolved' }>;

/**
 * Tickers that {@link resolveSecurity} resolves to the CUSIP on the as-of date, sorted. Superseded symbols
 * are not among them.
 */
export function tickersOfCusip(cusip: Cusip, mappings: Mappings, asOf: IsoDate): Ticker[] {
  const index = indexMappings(mappings);
  const symbols = (index.byCusip.get(cusip) ?? []).map((mapping) => canonicalTicker(mapping.symbol, index));
  return [...new Set(symbols)].sort().filter((ticker) => {
    const resolution = resolveSecurity(ticker, index, asOf);
    return resolution.kind === 'resolved' && resolution.cusip === cusip && resolution.ticker === ticker;
  });
}

/**
 * The ticker of a CUSIP that its security had before, or will have: of the one symbol under which sources state
 * both this CUSIP and the one of the as-of date. Reports of other days hold the security by it (rule 3.9).
 */
export function tickerThroughMove(cusip: Cusip, mappings: Mappings, asOf: IsoDate): Ticker | null {
  const index = indexMappings(mappings);
  const symbols = (index.byCusip.get(cusip) ?? []).map((mapping) => canonicalTicker(mapping.symbol, index));
  const [only, ...others] = [...new Set(symbols)].filter((ticker) => {
    const now = resolveSecurity(ticker, index, asOf);
    if (now.kind !== 'resolved' || now.ticker !== ticker) return false;
    const own = cusipMappingsOf(ticker, index);
    const of = (one: Cusip | null) => own.filter((mapping) => mapping.cusip === one);
    return of(cusip).some((then) => of(now.cusip).some((today) => isSameIssuer(then, today, own)));
  });
  return others.length === 0 ? (only ?? null) : null;
}

function resolved(ticker: Ticker, picks: Picks, index: MappingIndex): Resolved {
  const cusip = picks.cusip.kind === 'one' ? picks.cusip.mapping : null;
  const cik = picks.cik.kind === 'one' ? picks.cik.mapping : null;
  const isLater = [picks.cusip, picks.cik].some((pick) => pick.kind === 'one' && pick.isLater);
  const siblings = siblingsOf(ticker, { cusip, cik }, index);
  return {
    kind: 'resolved',
    ticker,
    name: cik?.name || cusip?.name || ticker,
    cusip: cusip?.cusip ?? null,
    ...(picks.cusip.kind === 'one' && picks.cusip.isLater ? { isLaterCusip: true } : {}),
    issuerCik: cik?.cik ?? null,
    ...(isPreferred(cusip?.name ?? '', cik?.name ?? '') ? { isPreferred: true } : {}),
    siblings: siblings.map((sibling) => sibling.ticker),
    shareClass: shareClassOf(ticker, cusip?.name ?? ''),
    siblingClasses: [...new Set(siblings.flatMap((sibling) => sibling.shareClass ?? []))].sort(),
    sources: [cusip, cik].flatMap((mapping) => (mapping === null ? [] : [sourceOf(mapping)])),
    reasons: isLater ? ['mapping_later_source'] : [],
  };
}

/**
 * `BRKB`, as the fails file prints it, becomes `BRK.B` when a source with separators has `BRK.B` and no
 * `BRKB`. So an alias never hides a real ticker. Of two aliases that collide, neither is used.
 */
function canonicalTicker(ticker: Ticker, index: MappingIndex): Ticker {
  if (ticker.includes('.') || isListed(ticker, index)) return ticker;
  const [only, ...others] = new Set(classesOfBare(ticker, index));
  return only !== undefined && others.length === 0 ? only : ticker;
}

/**
 * Share classes that a symbol without separator may mean: `CPN` is Calpine, not the preferred share `C.PN`.
 */
function classesOfBare(bare: string, index: MappingIndex): Ticker[] {
  const symbols = (index.byBareSymbol.get(bare) ?? []).map(({ symbol }) => symbol);
  return symbols.filter((symbol) => symbol.includes('.') && !isOtherThanShare(symbol));
}

/** All statements of a CUSIP for a ticker, older ones included, in no order. */
export function cusipMappingsOf(ticker: Ticker, mappings: Mappings): readonly SecurityMapping[] {
  const index = indexMappings(mappings);
  return mappingsOf(canonicalTicker(ticker, index), index).filter(({ kind }) => kind === 'cusip');
}

/** Mappings of the ticker and, for `BRK.B`, of `BRKB` when that can mean nothing else. */
function mappingsOf(ticker: Ticker, index: MappingIndex): readonly SecurityMapping[] {
  const own = index.bySymbol.get(ticker) ?? [];
  if (!ticker.includes('.')) return own;
  const bare = withoutSeparator(ticker);
  if (isOtherThanShare(ticker) || isListed(bare, index) || isCollision(ticker, index)) return own;
  const suffix = ticker.split('.')[1] ?? '';
  const isKnown = isListed(ticker, index);
  const aliases = (index.bySymbol.get(bare) ?? []).filter(
    (mapping) => isKnown || shareClassOf(null, mapping.name) === suffix,
  );
  return [...own, ...aliases];
}

function isListed(ticker: string, index: MappingIndex): boolean {
  return (index.bySymbol.get(ticker) ?? []).some((mapping) => mapping.kind === 'cik');
}

function isCollision(ticker: Ticker, index: MappingIndex): boolean {
  return classesOfBare(withoutSeparator(ticker), index).some((symbol) => symbol !== ticker);
}

type Targets = { readonly cusip: SecurityMapping | null; readonly cik: SecurityMapping | null };

/**
 * The issuer's other shares (same CUSIP issuer or same CIK), without preferred shares, warrants and notes.
 */
function siblingsOf(ticker: Ticker, { cusip, cik }: Targets, index: MappingIndex) {
  const family = [
    ...(index.byIssuer.get(cusip?.cusip ? issuerOf(cusip.cusip) : '') ?? []),
    ...(index.byCik.get(cik?.cik ?? '') ?? []),
  ];
  const own = namesOfTicker(ticker, cusip, { family, index });
  const symbols = new Set<string>([ticker, ...family.map(({ symbol }) => symbol)]);
  const classes = new Map<Ticker, string[]>();
  for (const mapping of family) {
    const sibling = canonicalTicker(mapping.symbol, index);
    if (own.has(withoutSeparator(sibling)) || !isShare(sibling, mapping, symbols)) continue;
    const letter = shareClassOf(sibling, mapping.kind === 'cusip' ? mapping.name : '');
    classes.set(sibling, [...(classes.get(sibling) ?? []), ...(letter === null ? [] : [letter])]);
  }
  return [...classes]
    .map(([sibling, letters]) => ({ ticker: sibling, shareClass: letters.sort()[0] ?? null }))
    .sort((a, b) => compare(a.ticker, b.ticker));
}

type Family = { readonly family: readonly SecurityMapping[]; readonly index: MappingIndex };

/** The ticker and its older names, without separators: they are no other class. */
function namesOfTicker(ticker: Ticker, cusip: SecurityMapping | null, { family, index }: Family) {
  const older =
    // Without a CUSIP nothing else tells that FB is the former ticker of META.
    cusip === null
      ? formerTickers(ticker, family)
      : (index.byCusip.get(cusip.cusip ?? '') ?? []).map(({ symbol }) => symbol);
  return new Set([ticker, ...older].map(withoutSeparator));
}

/** Symbols of the issuer that no source printed any more when the first one printed this ticker. */
function formerTickers(ticker: Ticker, family: readonly SecurityMapping[]): Ticker[] {
  const began = family
    .filter(({ symbol }) => symbol === ticker)
    .map((mapping) => firstSeen(mapping) ?? UNDATED);
  const [first = ''] = began.sort(compare);
  const isOver = (symbol: Ticker): boolean =>
    family.every((one) => one.symbol !== symbol || (one.validTo ?? one.sourceDate ?? UNDATED) < first);
  return [...new Set(family.map(({ symbol }) => symbol))].filter(
    (symbol) => symbol !== ticker && isOver(symbol),
  );
}

/** The name of a CIK is the issuer's, so only the fails file's description gives the kind of security. */
function isShare(ticker: Ticker, { kind, name }: SecurityMapping, ofIssuer: ReadonlySet<string>): boolean {
  if (isOtherThanShare(ticker) || isOtherThanShareOf(ticker, ofIssuer)) return false;
  return kind === 'cik' || !isOtherThanCommon(name);
}

function namesOf(mappings: readonly Pick<SecurityMapping, 'cusip' | 'cik' | 'name'>[]): string[] {
  const names = mappings.map(({ cusip, cik, name }) =>
    cusip === null ? `${name} (CIK ${cik ?? 'unknown'})` : `${name} (CUSIP ${cusip})`,
  );
  return [...new Set(names)].sort();
}

function sourceOf(mapping: SecurityMapping): string {
  return mapping.sourceDate === null ? mapping.source : `${mapping.source}:${mapping.sourceDate}`;
}
