import { addDays } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';
import { agreeInFull, compareNames } from './issuer-name.ts';
import { lastSeen, type MappingIndex, movedWith, type SecurityMapping } from './mapping.ts';
import type { Pick } from './pick.ts';
import { withoutSeparator } from './symbol.ts';
import { SILENT_CUSIP_DAYS } from './thresholds.ts';

export type Picks = { readonly cusip: Pick; readonly cik: Pick };
const NONE: Pick = { kind: 'none' };

/**
 * All names of the picked CUSIP in fails files and official lists, sorted. A name changes more often than a
 * CUSIP. Those of a CUSIP from which the symbol moved are among them: forms may name the issuer as before.
 */
export function descriptionsOf(pick: Pick, index: MappingIndex): readonly string[] {
  if (pick.kind !== 'one') return [];
  const { cusip, symbol } = pick.mapping;
  const cusips = [...movedWith(cusip, index.bySymbol.get(symbol) ?? [])];
  const same = cusips.flatMap((one) => index.byCusip.get(one ?? '') ?? []);
  return [...new Set(same.flatMap(({ name, listedNames = [] }) => [name, ...listedNames]))].sort();
}

/**
 * Makes the two picks of a symbol agree on one issuer. A ticker may change owner (`S` was Sprint's, then
 * SentinelOne's), so a later source may name another company; then the later pick is dropped. Two picks
 * up to the as-of date that differ become `several`. A CUSIP that may have stayed with a company of a
 * similar name is dropped: the CUSIP of the new company is not known yet.
 */
export function matchPicks(picks: Picks, index: MappingIndex, asOf: IsoDate): Picks {
  const { cusip, cik } = picks;
  if (cusip.kind !== 'one' || cik.kind !== 'one') return picks;
  const pairs = pairsOf(descriptionsOf(cusip, index), namesOfCik(cik.mapping, index, asOf));
  const verdicts = new Set(pairs.map((pair) => compareNames(...pair)));
  if (verdicts.has('different') && !verdicts.has('same')) {
    // When both are later, the fails file is at most two years away; the list may be of any day.
    if (cik.isLater) return { cusip, cik: NONE };
    if (cusip.isLater) return { cusip: NONE, cik };
    return { cusip, cik: { kind: 'several', mappings: [cusip.mapping, cik.mapping] } };
  }
  const isOne = verdicts.has('same') && !cik.isLater;
  return isOne && isLeftBehind(cusip.mapping, cik.mapping, { pairs, index, asOf })
    ? { cusip: NONE, cik }
    : picks;
}

type Known = {
  readonly pairs: readonly NamePair[];
  readonly index: MappingIndex;
  readonly asOf: IsoDate;
};

/**
 * True for a CUSIP that no source showed while the issuer had the ticker, when one of these holds: another
 * issuer of the same name had the ticker before, or the CUSIP was not seen for long and the names agree in
 * one word only.
 */
function isLeftBehind(cusip: SecurityMapping, cik: SecurityMapping, { pairs, index, asOf }: Known): boolean {
  const last = lastSeen(cusip, asOf);
  if (last === null) return false;
  const before = (index.byBareSymbol.get(withoutSeparator(cik.symbol)) ?? []).filter(
    (mapping) => mapping.cik !== null && lastSeen(mapping, last) !== null,
  );
  if (before.some((mapping) => mapping.cik === cik.cik)) return false;
  const descriptions = pairs.map(([description]) => description);
  const others = before.map(({ name }) => name);
  if (pairsOf(descriptions, others).some((pair) => compareNames(...pair) === 'same')) return true;
  return last < addDays(asOf, -SILENT_CUSIP_DAYS) && !pairs.some((pair) => agreeInFull(...pair));
}

type NamePair = readonly [description: string, registered: string];

function pairsOf(descriptions: readonly string[], names: readonly string[]): readonly NamePair[] {
  return descriptions.flatMap((description) => names.map((name): NamePair => [description, name]));
}

/** Today's name and the names on forms up to the as-of date: a renamed issuer keeps its CIK. */
function namesOfCik({ cik }: SecurityMapping, index: MappingIndex, asOf: IsoDate): readonly string[] {
  const known = index.byCik.get(cik ?? '') ?? [];
  return known
    .filter((mapping) => mapping.source !== 'form4' || lastSeen(mapping, asOf) !== null)
    .map(({ name }) => name);
}
