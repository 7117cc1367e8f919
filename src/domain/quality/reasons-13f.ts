/** What may be said of a 13F report, a row of it or a change between two. */
export const THIRTEEN_F_REASONS = {
  no_prior_comparable_filing: {
    severity: 'info',
    effect: 'clear',
    description:
      'The manager has no report for the adjacent prior quarter, so its position is a baseline and not a change.',
  },
  reported_elsewhere: {
    severity: 'info',
    effect: 'clear',
    description: 'The manager filed a notice: its holdings are in the report of another manager.',
  },
  combination_report: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'Part of the holdings is reported by other managers, and the list of those managers or the type of report differs between the two quarters.',
  },
  confidential_omitted: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'The manager omits positions under a confidential treatment request, so an apparent exit may be a hidden position.',
  },
  prior_confidential_omitted: {
    severity: 'info',
    effect: 'clear',
    description:
      'The report of the quarter before omits positions under a confidential treatment request, so the initiation may be of a position that was hidden.',
  },
  below_reporting_threshold: {
    severity: 'info',
    effect: 'uncertain',
    description:
      'Fewer than 10,000 shares worth less than $200,000 may be left out of a report, so an initiation or exit of this size proves nothing.',
  },
  split_suspected: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'The share count and the implied price moved like a share split that too few filers confirm; or most filers moved by one ratio that no vote restates, so that nobody can be compared; or this filer did not book a split that the others show.',
  },
  value_unit_unverified: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'The unit of the values follows the filing date (dollars from 2023-01-03, thousands before) but the implied prices contradict it or are too few to confirm it. Share counts are not affected.',
  },
  partial_restatement_suspected: {
    severity: 'critical',
    effect: 'uncertain',
    description:
      'An amendment says that it restates the report but holds only a small part of it; the earlier table was kept.',
  },
  repeated_new_holdings_suspected: {
    severity: 'critical',
    effect: 'uncertain',
    description: 'An amendment says that it adds holdings but repeats those already reported.',
  },
  amendment_type_missing: {
    severity: 'warning',
    effect: 'uncertain',
    description: 'An amendment does not say whether it restates the report or adds to it.',
  },
  supplement_without_base: {
    severity: 'critical',
    effect: 'excluded',
    description:
      'Only an amendment that adds holdings was seen for the quarter, not the report that it adds to.',
  },
  entry_total_mismatch: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The report, or the one of the quarter before, has another number of rows than its summary page declares, so rows may be missing.',
  },
  value_total_mismatch: {
    severity: 'info',
    effect: 'clear',
    description:
      'The values of the report, or of the one of the quarter before, do not add up to the total that its summary page declares, so rows may be missing.',
  },
  cusip_malformed: {
    severity: 'critical',
    effect: 'excluded',
    description: 'The security identifier cannot be a CUSIP; the row is kept but not compared.',
  },
  cusip_checksum_failed: {
    severity: 'warning',
    effect: 'excluded',
    description: 'The check digit of the CUSIP is wrong, so the row is not mapped to a security or compared.',
  },
  cusip_mistyped_elsewhere: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'The other of the two reports names the same issuer under an unusable CUSIP, so the initiation or exit may be no more than that typing error.',
  },
  amount_fractional: {
    severity: 'info',
    effect: 'clear',
    description: 'The share count had a fraction, which was rounded.',
  },
  amount_negative: {
    severity: 'critical',
    effect: 'excluded',
    description: 'The share count or value is negative.',
  },
  amount_implausible: {
    severity: 'critical',
    effect: 'excluded',
    description:
      'The share count is above a trillion or the value above ten trillion dollars, more than any security has.',
  },
  implied_price_outlier: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The value per share is far from that of the same security in other reports; the row is left out of value totals.',
  },
  value_unit_thousands_after_2023: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The filing still gives its values in thousands although dollars were due; the implied prices of other filers show it, and the values were corrected.',
  },
  value_unit_dollars_before_2023: {
    severity: 'warning',
    effect: 'clear',
    description:
      'The filing gives its values in dollars although thousands were due; the implied prices of other filers show it, and the values were corrected.',
  },
  shares_equal_value: {
    severity: 'critical',
    effect: 'uncertain',
    description:
      'Nearly every row repeats its value as its share count, so the shares are not known and the report is compared with none.',
  },
  split_adjusted: {
    severity: 'info',
    effect: 'clear',
    description:
      'Other filers confirm a share split since the quarter before; the earlier share count is restated by it.',
  },
  cusip_changed: {
    severity: 'info',
    effect: 'clear',
    description:
      'The security had another CUSIP in the quarter before, as its holders show; the earlier position is the one under that CUSIP.',
  },
  cusip_change_suspected: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'The position may have gone over from one CUSIP to another: the report leaves one and starts another of the same issuer or of exactly as many shares, or holds both after a change. So the exit or initiation may be none.',
  },
  probable_corporate_action: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'Most holders left the security in the same quarter, nearly all of them or for another one of its issuer, or entered it together as the holders of another one, as in a merger, a spin-off or a delisting, so the change says nothing about the manager.',
  },
  manager_reorganised: {
    severity: 'warning',
    effect: 'clear',
    description: 'The manager took over the book of another one that no longer reports.',
  },
  identical_positions: {
    severity: 'warning',
    effect: 'clear',
    description:
      'Another manager reports the very same positions for the quarter, as affiliates do; they may be counted twice.',
  },
  confidential_revealed: {
    severity: 'info',
    effect: 'clear',
    description:
      'The position was kept confidential at first and revealed later: it was held at the end of the quarter, not bought when it was published.',
  },
  option_class_cusip: {
    severity: 'info',
    effect: 'clear',
    description:
      'The CUSIP is that of an option class on the official list of 13(f) securities, so the row is kept with the options although it is not marked as one.',
  },
  text_table: {
    severity: 'info',
    effect: 'clear',
    description: 'The report is of before 2013 and its table is text; its columns were read by their places.',
  },
  text_value_unsure: {
    severity: 'warning',
    effect: 'uncertain',
    description:
      'A row of a text table is in doubt: a figure of it does not stand clearly in its column, its unit is missing, it may be an option without plainly being one, its value per share is not that of the other rows of the security, or it takes its CUSIP from the row above and nothing shows that it is of that security.',
  },
  mapping_later_source: {
    severity: 'info',
    effect: 'clear',
    description:
      'The ticker was resolved from a source dated after the as-of date, or undated, with lower confidence.',
  },
} as const;
