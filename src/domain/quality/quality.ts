export type QualityStatus = 'clear' | 'uncertain' | 'excluded';

export type Severity = 'info' | 'warning' | 'critical';

export type ReasonRule = {
  /** A 13F report, one of its rows or a change between two reports; or a trade on Form 4. */
  readonly leg: 'thirteen_f' | 'form4';
  readonly severity: Severity;
  /** The status of an observation with this reason. `clear` reasons are only shown. */
  readonly effect: QualityStatus;
};

/**
 * The closed list of quality reasons. Filings, rows and observations carry no others, and the brief
 * groups its artifacts by them.
 */
export const REASONS = {
  no_prior_comparable_filing: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  reported_elsewhere: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  combination_report: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  confidential_omitted: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  prior_confidential_omitted: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  below_reporting_threshold: { leg: 'thirteen_f', severity: 'info', effect: 'uncertain' },
  split_suspected: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  value_unit_unverified: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  partial_restatement_suspected: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  restated_thousandfold_suspected: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  unrelated_restatement_suspected: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  doubled_table_suspected: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  repeated_new_holdings_suspected: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  amendment_type_missing: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  supplement_without_base: { leg: 'thirteen_f', severity: 'critical', effect: 'excluded' },
  entry_total_mismatch: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  value_total_mismatch: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  cusip_malformed: { leg: 'thirteen_f', severity: 'critical', effect: 'excluded' },
  cusip_checksum_failed: { leg: 'thirteen_f', severity: 'warning', effect: 'excluded' },
  cusip_mistyped_elsewhere: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  amount_fractional: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  amount_missing: { leg: 'thirteen_f', severity: 'critical', effect: 'excluded' },
  amount_negative: { leg: 'thirteen_f', severity: 'critical', effect: 'excluded' },
  amount_implausible: { leg: 'thirteen_f', severity: 'critical', effect: 'excluded' },
  implied_price_outlier: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  value_unit_thousands_after_2023: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  value_unit_dollars_before_2023: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  shares_equal_value: { leg: 'thirteen_f', severity: 'critical', effect: 'uncertain' },
  split_adjusted: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  cusip_changed: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  cusip_change_suspected: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  probable_corporate_action: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  taken_in_stated: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  moved_between_reports: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  manager_reorganised: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  identical_positions: { leg: 'thirteen_f', severity: 'warning', effect: 'clear' },
  confidential_revealed: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  option_class_cusip: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  option_by_title: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  option_side_unknown: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  text_table: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  encoding_guessed: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  text_value_unsure: { leg: 'thirteen_f', severity: 'warning', effect: 'uncertain' },
  mapping_later_source: { leg: 'thirteen_f', severity: 'info', effect: 'clear' },
  acquired_disposed_mismatch: { leg: 'form4', severity: 'warning', effect: 'excluded' },
  equity_swap: { leg: 'form4', severity: 'info', effect: 'excluded' },
  price_missing: { leg: 'form4', severity: 'info', effect: 'clear' },
  price_zero: { leg: 'form4', severity: 'info', effect: 'clear' },
  weighted_average_price: { leg: 'form4', severity: 'info', effect: 'clear' },
  shares_not_positive: { leg: 'form4', severity: 'critical', effect: 'excluded' },
  date_implausible: { leg: 'form4', severity: 'warning', effect: 'clear' },
  duplicate_trade: { leg: 'form4', severity: 'info', effect: 'excluded' },
  superseded_by_amendment: { leg: 'form4', severity: 'info', effect: 'excluded' },
  unreconciled_amendment: { leg: 'form4', severity: 'warning', effect: 'clear' },
  share_class_unresolved: { leg: 'form4', severity: 'info', effect: 'clear' },
  other_share_class: { leg: 'form4', severity: 'info', effect: 'excluded' },
  price_implausible: { leg: 'form4', severity: 'warning', effect: 'clear' },
  possible_offering: { leg: 'form4', severity: 'info', effect: 'clear' },
  depositary_ratio: { leg: 'form4', severity: 'info', effect: 'clear' },
  footnote_mentions_10b5_1: { leg: 'form4', severity: 'info', effect: 'clear' },
  plan_sale: { leg: 'form4', severity: 'info', effect: 'clear' },
  sell_to_cover: { leg: 'form4', severity: 'info', effect: 'clear' },
  exercise_and_sell: { leg: 'form4', severity: 'info', effect: 'clear' },
  foreign_currency_price: { leg: 'form4', severity: 'info', effect: 'clear' },
  price_of_other_security: { leg: 'form4', severity: 'warning', effect: 'clear' },
  row_unreadable: { leg: 'form4', severity: 'critical', effect: 'excluded' },
} as const satisfies Record<string, ReasonRule>;

export type Reason = keyof typeof REASONS;

export type Quality = { readonly status: QualityStatus; readonly reasons: readonly Reason[] };

const ORDER: Record<QualityStatus, number> = { clear: 0, uncertain: 1, excluded: 2 };

/** Unique and sorted, so equal inputs give equal bytes. */
export function mergeReasons(...lists: readonly (readonly Reason[])[]): readonly Reason[] {
  const unique = new Set<Reason>();
  for (const list of lists) for (const reason of list) unique.add(reason);
  return [...unique].sort();
}

const CLEAR: Quality = { status: 'clear', reasons: [] };

/** The strongest effect decides the status. */
export function qualityOf(reasons: readonly Reason[]): Quality {
  // Most rows have none, and a quarter has millions of rows.
  if (reasons.length === 0) return CLEAR;
  const unique = mergeReasons(reasons);
  const status = unique
    .map((reason): QualityStatus => REASONS[reason].effect)
    .reduce((worst, next) => (ORDER[next] > ORDER[worst] ? next : worst), 'clear' as QualityStatus);
  return { status, reasons: unique };
}

/** Doubts about values only. Changes are judged by shares, so these do not make a change uncertain. */
const ABOUT_VALUES: ReadonlySet<Reason> = new Set(['value_unit_unverified']);

/** Whether the reason makes it uncertain how many shares were held or moved. */
export function isAboutShares(reason: Reason): boolean {
  return REASONS[reason].effect === 'uncertain' && !ABOUT_VALUES.has(reason);
}

/** The quality of a change of shares: a doubt about its value is listed and leaves it clear. */
export function changeQualityOf(reasons: readonly Reason[]): Quality {
  const { status } = qualityOf(reasons.filter((reason) => !ABOUT_VALUES.has(reason)));
  return { status, reasons: qualityOf(reasons).reasons };
}

/** With one of these reasons, what a row names or counts is in doubt. */
export const UNSOUND: ReadonlySet<Reason> = new Set([
  'cusip_malformed',
  'cusip_checksum_failed',
  'amount_missing',
  'amount_negative',
  'amount_implausible',
]);
/** Reasons of single rows that the report lists too. */
const ROW_REASONS: ReadonlySet<Reason> = new Set([...UNSOUND, 'amount_fractional']);

export function isRowReason(reason: Reason): boolean {
  return ROW_REASONS.has(reason);
}

/** The quality of a whole report: an excluded row makes it uncertain, never excluded. */
export function reportQualityOf(reasons: readonly Reason[]): Quality {
  const own = qualityOf(reasons.filter((reason) => !ROW_REASONS.has(reason)));
  const all = qualityOf(reasons);
  const status = own.status === 'clear' && all.status !== 'clear' ? 'uncertain' : own.status;
  return { status, reasons: all.reasons };
}
