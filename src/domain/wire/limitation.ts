import { z } from 'zod';
import { REASONS, type Reason } from '../quality/quality.ts';

/** Whether a limitation is equal in all briefs of the day, or about the ticker asked for. */
type LimitationScope = 'corpus' | 'ticker';

/** Limitations that no reason of an observation or a trade stands for (rule 8.8). */
const OWN_SCOPES = {
  ticker_unknown: 'ticker',
  ticker_ambiguous: 'ticker',
  ticker_renamed: 'ticker',
  cusip_unknown: 'ticker',
  issuer_unknown: 'ticker',
  no_13f_report: 'corpus',
  filing_window_open: 'corpus',
  filing_window_closed: 'corpus',
  due_quarter_missing: 'corpus',
  ended_quarter_unreported: 'corpus',
  managers_late: 'ticker',
  managers_stopped: 'ticker',
  quarter_end_positions: 'corpus',
  selected_filings: 'corpus',
  prices_missing: 'corpus',
  unparsed_13f: 'corpus',
  unparsed_form4: 'corpus',
  holder_filings_unread: 'ticker',
  baselines: 'ticker',
  imported_13f: 'ticker',
  uncertain_left_out: 'ticker',
  direction_suppressed: 'ticker',
  options_moved: 'ticker',
  observations_excluded: 'ticker',
  changes_cut: 'ticker',
  form4_unavailable: 'corpus',
  form4_incomplete: 'corpus',
  insider_filings_unread: 'ticker',
  insiders_exempt: 'ticker',
  private_trades_included: 'corpus',
  imported_form4: 'ticker',
  trades_unpriced: 'ticker',
  trades_of_leg_managers: 'ticker',
  trades_left_out: 'ticker',
  trades_cut: 'ticker',
} as const satisfies Record<string, LimitationScope>;

/** A reason of the closed list, or a code of its own. */
export type LimitationCode = keyof typeof OWN_SCOPES | Reason;

const isOwn = (code: LimitationCode): code is keyof typeof OWN_SCOPES => code in OWN_SCOPES;

/** What an observation or a trade gives as a reason is about its security. */
export function scopeOf(code: LimitationCode): LimitationScope {
  return isOwn(code) ? OWN_SCOPES[code] : 'ticker';
}

export const limitationShape = z.strictObject({
  code: z.enum([...Object.keys(OWN_SCOPES), ...Object.keys(REASONS)] as [
    LimitationCode,
    ...LimitationCode[],
  ]),
  scope: z
    .enum(['corpus', 'ticker'])
    .describe('corpus: of every brief of the day. ticker: of what was asked for'),
});

/** Whether a list may be taken for all that was filed (rule 7.3): an empty one that is not covered means nothing. */
export const coveredShape = {
  coverage_status: z
    .enum(['covered', 'partial', 'not_covered'])
    .describe(
      '`covered`: an empty list means none in the filings read. `partial`: not all of it was read, or filed yet. `not_covered`: nothing of it was read, so 0 is not a count. `limitations` says why',
    ),
  limitations: z.array(z.string()).describe('What the answer lacks, as sentences'),
};

export type Covered = {
  readonly coverage_status: 'covered' | 'partial' | 'not_covered';
  readonly limitations: string[];
};

/** An answer that lacks what was filed is never whole (rule 8.4). Null: it lacks nothing. */
export function lacking(covered: Covered, sentence: string | null): Covered {
  if (sentence === null) return covered;
  const { coverage_status: status, limitations } = covered;
  return {
    coverage_status: status === 'covered' ? 'partial' : status,
    limitations: [...limitations, sentence],
  };
}
