import type { Cik, QuarterEnd } from '../ids.ts';

/** A manager that files under a new CIK what another one filed before. Only what a source shows is here. */
export type Succession = {
  readonly cik: Cik;
  readonly predecessor: Cik;
  readonly name: string;
  /** The quarters that may be the first one under the new CIK. */
  readonly firstQuarterEnds: readonly QuarterEnd[];
  readonly source: string;
};

export const SUCCESSIONS: readonly Succession[] = [
  {
    cik: '0002012383' as Cik,
    predecessor: '0001364742' as Cik,
    name: 'BlackRock, Inc.',
    // The new holding company took the old one's place on 2024-10-01, within the filing window of 2024-09-30.
    firstQuarterEnds: ['2024-09-30' as QuarterEnd, '2024-12-31' as QuarterEnd],
    source: 'https://github.com/toddwschneider/sec-13f-filings/issues/18',
  },
];

/**
 * The manager whose report for the quarter before is this one's prior report, where it has none of its
 * own: 13F knows no succession, and both sides would show nothing but exits and new positions (rule
 * 5.7). Null for nearly all.
 */
export function predecessorOf(cik: Cik, quarterEnd: QuarterEnd): Cik | null {
  const found = SUCCESSIONS.find((one) => one.cik === cik && one.firstQuarterEnds.includes(quarterEnd));
  return found?.predecessor ?? null;
}
