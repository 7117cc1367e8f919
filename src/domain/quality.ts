/**
 * The closed list of quality reasons. A reason on a filing, a row or an observation is one of
 * these keys and nothing else; the brief groups its artifacts by them.
 */
export type Severity = 'info' | 'warning' | 'critical';

export type ReasonRule = {
  readonly leg: 'thirteen_f' | 'form4';
  readonly severity: Severity;
  /** What an observation with this reason becomes. `clear` reasons are only told. */
  readonly effect: 'clear' | 'uncertain' | 'excluded';
  readonly description: string;
};

const rule = (
  leg: ReasonRule['leg'],
  severity: Severity,
  effect: ReasonRule['effect'],
  description: string,
): ReasonRule => ({ leg, severity, effect, description });

export const REASONS = {
  no_prior_comparable_filing: rule(
    'thirteen_f',
    'info',
    'clear',
    'The manager has no report for the adjacent prior quarter, so its position is a baseline and not a change.',
  ),
  reported_elsewhere: rule(
    'thirteen_f',
    'info',
    'clear',
    'The manager filed a notice: its holdings are in the report of another manager.',
  ),
  combination_report: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'Part of the holdings is reported by other managers, and the list of those managers or the type of report differs between the two quarters.',
  ),
  confidential_omitted: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'The manager omits positions under a confidential treatment request, so an apparent exit may be a hidden position.',
  ),
  below_reporting_threshold: rule(
    'thirteen_f',
    'info',
    'uncertain',
    'Fewer than 10,000 shares worth less than $200,000 may be left out of a report, so an initiation or exit of this size proves nothing.',
  ),
  split_suspected: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'The share count and the implied price moved like a share split that too few filers confirm.',
  ),
  value_unit_unverified: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'The unit of the values follows the filing date (dollars from 2023-01-03, thousands before) but the implied prices contradict it or are too few to confirm it. Share counts are not affected.',
  ),
  partial_restatement_suspected: rule(
    'thirteen_f',
    'critical',
    'uncertain',
    'An amendment says that it restates the report but holds only a small part of it; the earlier table was kept.',
  ),
  repeated_new_holdings_suspected: rule(
    'thirteen_f',
    'critical',
    'uncertain',
    'An amendment says that it adds holdings but repeats those already reported.',
  ),
  amendment_type_missing: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'An amendment does not say whether it restates the report or adds to it.',
  ),
  supplement_without_base: rule(
    'thirteen_f',
    'critical',
    'excluded',
    'Only an amendment that adds holdings was seen for the quarter, not the report that it adds to.',
  ),
  entry_total_mismatch: rule(
    'thirteen_f',
    'warning',
    'clear',
    'The number of rows differs from the number that the summary page declares.',
  ),
  value_total_mismatch: rule(
    'thirteen_f',
    'info',
    'clear',
    'The sum of the values differs from the total that the summary page declares.',
  ),
  cusip_malformed: rule(
    'thirteen_f',
    'critical',
    'excluded',
    'The security identifier cannot be a CUSIP; the row is kept but not compared.',
  ),
  cusip_checksum_failed: rule(
    'thirteen_f',
    'warning',
    'excluded',
    'The check digit of the CUSIP is wrong, so the row is not mapped to a security or compared.',
  ),
  cusip_mistyped_elsewhere: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'The other of the two reports names the same issuer under an unusable CUSIP, so the initiation or exit may be no more than that typing error.',
  ),
  amount_fractional: rule(
    'thirteen_f',
    'info',
    'clear',
    'The share count had a fraction, which was rounded.',
  ),
  amount_negative: rule('thirteen_f', 'critical', 'excluded', 'The share count or value is negative.'),
  amount_implausible: rule(
    'thirteen_f',
    'critical',
    'excluded',
    'The share count is above a trillion or the value above ten trillion dollars, more than any security has.',
  ),
  implied_price_outlier: rule(
    'thirteen_f',
    'warning',
    'clear',
    'The value per share is far from that of the same security in other reports; the row is left out of value totals.',
  ),
  value_unit_thousands_after_2023: rule(
    'thirteen_f',
    'warning',
    'clear',
    'The filing still gives its values in thousands although dollars were due; the implied prices of other filers show it, and the values were corrected.',
  ),
  value_unit_dollars_before_2023: rule(
    'thirteen_f',
    'warning',
    'clear',
    'The filing gives its values in dollars although thousands were due; the implied prices of other filers show it, and the values were corrected.',
  ),
  shares_equal_value: rule(
    'thirteen_f',
    'critical',
    'uncertain',
    'Nearly every row repeats its value as its share count, so the shares are not known and the report is compared with none.',
  ),
  split_adjusted: rule(
    'thirteen_f',
    'info',
    'clear',
    'Other filers confirm a share split since the quarter before; the earlier share count is restated by it.',
  ),
  cusip_changed: rule(
    'thirteen_f',
    'info',
    'clear',
    'The security had another CUSIP in the quarter before, as its holders show; the earlier position is the one under that CUSIP.',
  ),
  probable_corporate_action: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'Nearly all holders left the security in the same quarter, as in a merger or a delisting, so an exit says nothing about the manager.',
  ),
  manager_reorganised: rule(
    'thirteen_f',
    'warning',
    'clear',
    'The manager took over the book of another one that no longer reports.',
  ),
  identical_book: rule(
    'thirteen_f',
    'warning',
    'clear',
    'Another manager reports the very same positions for the quarter, as affiliates do; they may be counted twice.',
  ),
  confidential_revealed: rule(
    'thirteen_f',
    'info',
    'clear',
    'The position was kept confidential at first and revealed later: it was held at the end of the quarter, not bought when it was published.',
  ),
  option_class_cusip: rule(
    'thirteen_f',
    'info',
    'clear',
    'The CUSIP is that of an option class on the official list of 13(f) securities, so the row is kept with the options although it is not marked as one.',
  ),
  text_table: rule(
    'thirteen_f',
    'info',
    'clear',
    'The report is of before 2013 and its table is text; its columns were read by their places.',
  ),
  text_value_unsure: rule(
    'thirteen_f',
    'warning',
    'uncertain',
    'A value of the text table does not stand clearly in its column, so it was read with low confidence.',
  ),
  mapping_later_source: rule(
    'thirteen_f',
    'info',
    'clear',
    'The ticker was resolved from a source dated after the as-of date, with lower confidence.',
  ),
  acquired_disposed_mismatch: rule(
    'form4',
    'warning',
    'excluded',
    'The transaction code and the acquired or disposed mark contradict each other.',
  ),
  equity_swap: rule(
    'form4',
    'info',
    'excluded',
    'The trade is part of an equity swap, not an open-market trade.',
  ),
  price_missing: rule(
    'form4',
    'info',
    'clear',
    'The price is missing or only in a footnote; the trade is counted as unpriced.',
  ),
  price_zero: rule(
    'form4',
    'info',
    'clear',
    'The price is zero or negative; the trade is counted as unpriced.',
  ),
  weighted_average_price: rule(
    'form4',
    'info',
    'clear',
    'A footnote says that the price is a weighted average of several trades.',
  ),
  shares_not_positive: rule('form4', 'critical', 'excluded', 'The share count is missing, zero or negative.'),
  date_implausible: rule(
    'form4',
    'warning',
    'clear',
    'The transaction date is after the filing date or before 1990; the period of report places it in the window.',
  ),
  duplicate_trade: rule(
    'form4',
    'info',
    'excluded',
    'The same trade stands in another filing that shares a reporting owner; it is counted once.',
  ),
  superseded_by_amendment: rule('form4', 'info', 'excluded', 'A later amendment restates the row.'),
  unreconciled_amendment: rule(
    'form4',
    'warning',
    'clear',
    'An amendment restates a trade that no stored original matches; both are kept.',
  ),
  share_class_unresolved: rule(
    'form4',
    'info',
    'clear',
    'The share class of the trade could not be told apart; it is counted for this security.',
  ),
  other_share_class: rule(
    'form4',
    'info',
    'excluded',
    'The title or the symbol names another security of the issuer, so the trade is left out.',
  ),
  price_implausible: rule(
    'form4',
    'warning',
    'clear',
    'The price is more than ten times the value per share that 13F reports imply at both ends of its quarter; the trade is counted but left out of value sums.',
  ),
  possible_offering: rule(
    'form4',
    'info',
    'clear',
    'At least three insiders traded on the same day at the very same price, as in an offering or a placement.',
  ),
  depositary_ratio: rule(
    'form4',
    'info',
    'clear',
    'A footnote tells how many ordinary shares a depositary share stands for, so shares and price may not be in the same unit.',
  ),
  footnote_mentions_10b5_1: rule('form4', 'info', 'clear', 'A footnote mentions a Rule 10b5-1 plan.'),
} as const satisfies Record<string, ReasonRule>;

export type Reason = keyof typeof REASONS;

export type QualityStatus = 'clear' | 'uncertain' | 'excluded';

export type Quality = { readonly status: QualityStatus; readonly reasons: readonly Reason[] };

const ORDER: Record<QualityStatus, number> = { clear: 0, uncertain: 1, excluded: 2 };

/** The strongest effect wins; reasons are unique and sorted, so that equal inputs give equal bytes. */
export function qualityOf(reasons: readonly Reason[]): Quality {
  const unique = [...new Set(reasons)].sort();
  const status = unique
    .map((reason): QualityStatus => REASONS[reason].effect)
    .reduce((worst, next) => (ORDER[next] > ORDER[worst] ? next : worst), 'clear' as QualityStatus);
  return { status, reasons: unique };
}

/** Doubts about values alone. Changes are judged by shares and never by value, so they cast none on those. */
const VALUE_DOUBTS: ReadonlySet<Reason> = new Set(['value_unit_unverified']);

/** Whether the reason makes it uncertain how many shares were held or moved. */
export function doubtsShares(reason: Reason): boolean {
  return REASONS[reason].effect === 'uncertain' && !VALUE_DOUBTS.has(reason);
}

/** The quality of a change of shares: a doubt about its value is told and leaves it clear. */
export function changeQualityOf(reasons: readonly Reason[]): Quality {
  const { status } = qualityOf(reasons.filter((reason) => !VALUE_DOUBTS.has(reason)));
  return { status, reasons: qualityOf(reasons).reasons };
}

/** Reasons of single rows that a report carries too, so that its reader knows of them. */
const ROW_REASONS: ReadonlySet<Reason> = new Set([
  'cusip_malformed',
  'cusip_checksum_failed',
  'amount_negative',
  'amount_implausible',
  'amount_fractional',
]);

/** The quality of a whole report: a row that is left out makes it uncertain, never excluded itself. */
export function reportQualityOf(reasons: readonly Reason[]): Quality {
  const own = qualityOf(reasons.filter((reason) => !ROW_REASONS.has(reason)));
  const all = qualityOf(reasons);
  const status = own.status === 'clear' && all.status !== 'clear' ? 'uncertain' : own.status;
  return { status, reasons: all.reasons };
}
