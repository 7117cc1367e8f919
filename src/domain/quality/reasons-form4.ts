/** The reasons of a trade on Form 4. */
export const FORM4_REASONS = {
  acquired_disposed_mismatch: { severity: 'warning', effect: 'excluded' },
  equity_swap: { severity: 'info', effect: 'excluded' },
  price_missing: { severity: 'info', effect: 'clear' },
  price_zero: { severity: 'info', effect: 'clear' },
  weighted_average_price: { severity: 'info', effect: 'clear' },
  shares_not_positive: { severity: 'critical', effect: 'excluded' },
  date_implausible: { severity: 'warning', effect: 'clear' },
  duplicate_trade: { severity: 'info', effect: 'excluded' },
  superseded_by_amendment: { severity: 'info', effect: 'excluded' },
  unreconciled_amendment: { severity: 'warning', effect: 'clear' },
  share_class_unresolved: { severity: 'info', effect: 'clear' },
  other_share_class: { severity: 'info', effect: 'excluded' },
  price_implausible: { severity: 'warning', effect: 'clear' },
  possible_offering: { severity: 'info', effect: 'clear' },
  depositary_ratio: { severity: 'info', effect: 'clear' },
  footnote_mentions_10b5_1: { severity: 'info', effect: 'clear' },
} as const;
