/** What may be said of a trade on Form 4. */
export const FORM4_REASONS = {
  acquired_disposed_mismatch: {
    severity: 'warning',
    effect: 'excluded',
    description: 'The transaction code and the acquired or disposed mark contradict each other.',
  },
  equity_swap: {
    severity: 'info',
    effect: 'excluded',
    description: 'The trade is part of an equity swap, not an open-market trade.',
  },
  price_missing: {
    severity: 'info',
    effect: 'clear',
    description: 'The price is missing or only in a footnote; the trade is counted as unpriced.',
  },
  price_zero: {
    severity: 'info',
    effect: 'clear',
    description: 'The price is zero; the trade is counted as unpriced.',
  },
  weighted_average_price: {
    severity: 'info',
    effect: 'clear',
    description: 'A footnote says that the price is a weighted average of several trades.',
  },
  shares_not_positive: {
    severity: 'critical',
    effect: 'excluded',
    description: 'The share count is missing, zero or negative.',
  },
  date_implausible: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The transaction date is after the filing date or before 1990; the period of report places it in the window.',
  },
  duplicate_trade: {
    severity: 'info',
    effect: 'excluded',
    description: 'The same trade stands in another filing that shares a reporting owner; it is counted once.',
  },
  superseded_by_amendment: {
    severity: 'info',
    effect: 'excluded',
    description: 'A later amendment restates the row.',
  },
  unreconciled_amendment: {
    severity: 'warning',
    effect: 'clear',
    description:
      'An amendment restates a trade that no stored original matches, or one that stands under another code; both are kept.',
  },
  share_class_unresolved: {
    severity: 'info',
    effect: 'clear',
    description: 'The share class of the trade could not be told apart; it is counted for this security.',
  },
  other_share_class: {
    severity: 'info',
    effect: 'excluded',
    description: 'The title or the symbol names another security of the issuer, so the trade is left out.',
  },
  price_implausible: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The price is negative, or more than ten times the value per share that 13F reports imply at both ends of its quarter. Where they imply only one, it is more than a thousand times that, or it is more than ten times that and, divided by the shares of the trade, about that. The trade is counted but left out of value sums.',
  },
  possible_offering: {
    severity: 'info',
    effect: 'clear',
    description:
      'At least three insiders traded on the same day at the very same price, as in an offering or a placement.',
  },
  depositary_ratio: {
    severity: 'info',
    effect: 'clear',
    description:
      'A footnote tells how many ordinary shares a depositary share stands for, so shares and price may not be in the same unit.',
  },
  footnote_mentions_10b5_1: {
    severity: 'info',
    effect: 'clear',
    description: 'A footnote mentions a Rule 10b5-1 plan.',
  },
} as const;
