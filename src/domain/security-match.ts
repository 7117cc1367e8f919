import type { IsoDate } from './ids.ts';
import { lastSeen, type MappingIndex, type SecurityMapping } from './security-mapping.ts';
import { compareNames } from './security-name.ts';
import type { Pick } from './security-pick.ts';

export type Picks = { readonly cusip: Pick; readonly cik: Pick };

const NONE: Pick = { kind: 'none' };

/** Every name that the fails files and official lists give the picked CUSIP, in order: a name changes, a CUSIP less so. */
export function descriptionsOf(pick: Pick, index: MappingIndex): readonly string[] {
  if (pick.kind !== 'one') return [];
  const same = index.byCusip.get(pick.mapping.cusip ?? '') ?? [];
  return [...new Set(same.flatMap(({ name, listedNames = [] }) => [name, ...listedNames]))].sort();
}

/**
 * The two picks of a symbol, of one issuer. A ticker passes on, so a later source may name another
 * company than an earlier one (`S` was Sprint's, then SentinelOne's): the later pick is dropped.
 * Two of not after the as-of date that differ are rivals, told as `several`.
 */
export function matchPicks(picks: Picks, index: MappingIndex, asOf: IsoDate): Picks {
  const { cusip, cik } = picks;
  if (cusip.kind !== 'one' || cik.kind !== 'one') return picks;
  const names = namesOfCik(cik.mapping, index, asOf);
  if (!areStrangers(descriptionsOf(cusip, index), names)) return picks;
  // Both later: the fails file is at most two years away, the list may be of any day.
  if (cik.isLater) return { cusip, cik: NONE };
  if (cusip.isLater) return { cusip: NONE, cik };
  return { cusip, cik: { kind: 'several', mappings: [cusip.mapping, cik.mapping] } };
}

/** Today's name and those on the forms so far: an issuer that changed its name keeps its CIK. */
function namesOfCik({ cik }: SecurityMapping, index: MappingIndex, asOf: IsoDate): readonly string[] {
  const known = index.byCik.get(cik ?? '') ?? [];
  return known
    .filter((mapping) => mapping.source !== 'form4' || lastSeen(mapping, asOf) !== null)
    .map(({ name }) => name);
}

function areStrangers(descriptions: readonly string[], names: readonly string[]): boolean {
  const verdicts = descriptions.flatMap((description) =>
    names.map((name) => compareNames(description, name)),
  );
  return verdicts.includes('different') && !verdicts.includes('same');
}
