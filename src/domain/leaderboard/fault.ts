import { MAX_OPTION_SHARE, MAX_POSITIONS, MIN_POSITIONS, MIN_TOP10_WEIGHT } from './thresholds.ts';

/** What a report is judged by; fractions in billionths. */
type Judged = {
  readonly holdingsCount: number;
  readonly top10Weight: bigint;
  readonly optionShare: bigint;
  readonly reasons: readonly string[];
};

/** What keeps one report from being copied. Its quarter is left out, and the manager's others count (rule 9.3). */
const FAULTS = {
  too_few_positions: ({ holdingsCount }: Judged) => holdingsCount < MIN_POSITIONS,
  too_many_positions: ({ holdingsCount }: Judged) => holdingsCount > MAX_POSITIONS,
  not_concentrated: ({ top10Weight }: Judged) => top10Weight < MIN_TOP10_WEIGHT,
  mostly_options: ({ optionShare }: Judged) => optionShare > MAX_OPTION_SHARE,
  scale_unverified: ({ reasons }: Judged) => reasons.includes('scale_unverified'),
} as const;

export type ReportFault = keyof typeof FAULTS;

export const REPORT_FAULTS = Object.keys(FAULTS) as ReportFault[];

/** All that apply, in the order of the list; empty for a report that is copied. */
export function faultsOf(report: Judged): ReportFault[] {
  return REPORT_FAULTS.filter((fault) => FAULTS[fault](report));
}
