import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import type { Changed } from './changed.ts';
import type { FiledQuarters } from './filed-quarter.ts';
import { peerPrices } from './peer-price.ts';
import { type Decided, scaleTallies } from './scale-tally.ts';
import { isOnScale } from './scale-vote.ts';
import type { FilingScale } from './verdict.ts';

/** What the prices of others say about the filings of the quarter. */
export type JudgedScales = {
  readonly scalesOf: (cik: Cik) => FilingScale[];
  readonly outliersOf: (cik: Cik) => Cusip[];
};

/**
 * Compares the prices in each filing of the quarter with those of the other filers, and remembers what it needs
 * to compare again only what changed. Two passes over the quotes as filed (rule 4.3). The first compares all in
 * the scale of their date. The second uses the scales that the first one corrected. It leaves out filings whose
 * own prices contradict their scale. So filers that share a mistake do not outvote an honest one, as long as
 * others show the mistake.
 */
export function scaleLedger() {
  const asFiled = peerPrices();
  const [corrected, last] = [peerPrices(asFiled), peerPrices(asFiled)];
  const [decideFirst, decideLast] = [scaleTallies(), scaleTallies()];
  return (quarters: FiledQuarters, changed: Changed): JudgedScales => {
    asFiled.update(quarters, changed);
    corrected.update(quarters, changed, decideFirst(quarters, asFiled).shifts);
    const decided = decideLast(quarters, corrected);
    last.update(quarters, changed, decided.shifts);
    const outliers = outliersIn(quarters, decided, last.slips());
    const { managers } = quarters.names;
    return {
      scalesOf: (cik) =>
        (decided.scales.get(managers.numberOf(cik)) ?? [])
          .filter((scale) => scale !== null)
          .sort((a, b) => compare(a.accession, b.accession)),
      outliersOf: (cik) => (outliers.get(managers.numberOf(cik)) ?? []).sort(),
    };
  };
}

/** Slips of the filings whose scale is certain, by manager (rule 4.4). */
function outliersIn(
  { names }: FiledQuarters,
  { scales, comparedOf }: Decided,
  slips: ReturnType<ReturnType<typeof peerPrices>['slips']>,
): Map<number, Cusip[]> {
  const found = new Map<number, Cusip[]>();
  for (const [security, filings] of slips) {
    for (const { manager, place } of filings) {
      const scale = scales.get(manager)?.[place] ?? null;
      if (!isOnScale(comparedOf(manager)[place] ?? 0, scale)) continue;
      const known = found.get(manager);
      if (known === undefined) found.set(manager, [names.securities.textOf(security)]);
      else known.push(names.securities.textOf(security));
    }
  }
  return found;
}
