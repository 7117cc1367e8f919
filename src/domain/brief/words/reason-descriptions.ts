import type { Reason } from '../../quality/quality.ts';

/** What each reason says, as sentences. */
export const REASON_DESCRIPTIONS: Readonly<Record<Reason, string>> = {
  no_prior_comparable_filing:
    'The manager has no report for the quarter before that can be compared, so its position is a baseline and not a change.',
  reported_elsewhere:
    'For this quarter or the one before, the manager filed a notice: its holdings are in the report of another manager.',
  combination_report:
    'Another manager reported part of the holdings in one of the two quarters and does not in the other. A rise may have come from its report, or a fall may have gone into it.',
  confidential_omitted:
    'The manager omits positions under a confidential treatment request, so an apparent exit may be a hidden position.',
  prior_confidential_omitted:
    'The report for the quarter before omits positions under a confidential treatment request. The initiated position may have been hidden.',
  below_reporting_threshold:
    'A report may leave out fewer than 10,000 shares worth less than $200,000, so an initiation or exit of this size proves nothing.',
  split_suspected:
    "The share count and the implied price moved like a share split that the SEC's daily prices do not prove. Or this filer did not book a split that the others show.",
  value_unit_unverified:
    'The scale of the values follows the filing date: dollars from 2023-01-03, thousands before. The implied prices contradict it or are too few to confirm it. Share counts are not affected.',
  partial_restatement_suspected:
    'An amendment or a second report restates the report but has only a part of its positions. Others may be missing by mistake.',
  restated_thousandfold_suspected:
    'An amendment or a second report restates the report with share counts that are a thousandth, or a thousand times, of those before. One of the two is wrong.',
  unrelated_restatement_suspected:
    'An amendment or a second report restates the report but has none of its positions. It was read as added holdings, and the earlier table was kept.',
  doubled_table_suspected:
    'Most rows of the report, or of the one for the quarter before, stand twice. Its share counts may be twice what was held.',
  repeated_new_holdings_suspected:
    'An amendment says that it adds holdings but repeats those already reported.',
  amendment_type_missing: 'An amendment does not say whether it restates the report or adds to it.',
  supplement_without_base:
    'Only an amendment that adds holdings was found for the quarter. The report that it adds to is missing.',
  entry_total_mismatch:
    'The number of rows in the report, or in the one for the quarter before, differs from the number on its summary page. Rows may be missing.',
  value_total_mismatch:
    'The values of the report, or of the one for the quarter before, do not add up to the total on its summary page. Rows may be missing.',
  cusip_malformed: 'The security identifier cannot be a CUSIP. The row is kept but not compared.',
  cusip_checksum_failed:
    'The check digit of the CUSIP is wrong. The row is in no figure. Where a security differs from it by one typing error and has its name, it may be of that one.',
  cusip_mistyped_elsewhere:
    'The other of the two reports names the same issuer under an unusable CUSIP. The initiation or exit may be only that typing error.',
  amount_fractional: 'The share count had a fraction and was rounded.',
  amount_missing: 'A row has a value but no shares, so the count of the position is unknown.',
  amount_negative: 'The share count or the value is negative.',
  amount_implausible:
    'The share count is above a trillion or the value above ten trillion dollars, more than any security has.',
  implied_price_outlier:
    'The value per share is far from that of the same security in other reports. The row is left out of value totals.',
  value_unit_thousands_after_2023:
    'The filing gives its values in thousands although dollars were due. The implied prices of other filers show it, and the values were corrected.',
  value_unit_dollars_before_2023:
    'The filing gives its values in dollars although thousands were due. The implied prices of other filers show it, and the values were corrected.',
  shares_equal_value:
    'Nearly every row repeats its value as its share count. The share counts are unknown, and the report is not compared.',
  split_adjusted:
    "The SEC's daily prices and the share counts of holders prove a share split since the quarter before. The earlier share count is restated for it.",
  cusip_changed:
    'The holders show that the security had another CUSIP in the quarter before. The earlier position is the one under that CUSIP.',
  cusip_change_suspected:
    'The exit or initiation may be only a new CUSIP. The report leaves one CUSIP and starts another, of the same issuer or of exactly as many shares. Or it holds both after a change.',
  probable_corporate_action:
    'The change probably says nothing about the manager, because most holders moved in the same quarter, as in a merger, a spin-off or a delisting. Nearly all left the security, or most left it for another one of its issuer. Or most entered it together as holders of another one, or fewer than five entered what was new on the market. Or the manager was given its shares for those of a company that was merged into it.',
  taken_in_stated:
    'The cover of the report lists how many shares another manager reported before. They are added to the shares before, so the change is what the manager bought or sold.',
  moved_between_reports:
    'One manager reports for another one since this quarter, or no longer. The position moved between their two reports, so the change is not a purchase or a sale of its size.',
  manager_reorganised: 'The manager took over the positions of another manager that no longer reports.',
  identical_positions:
    'Another manager reports exactly the same positions for the quarter, as affiliates do. They may be counted twice.',
  confidential_revealed:
    'The position was confidential at first and was disclosed later. It was held at the end of the quarter, not bought on the day of publication.',
  option_class_cusip:
    'The CUSIP is an option class on the official list of 13(f) securities. The row is kept with the options although it is not marked as one.',
  encoding_guessed:
    'The bytes of the report are not in the encoding that it declares. Accented letters of names were read as windows-1252; numbers and CUSIPs are not affected.',
  option_by_title:
    'The title of class says that the row is a put or a call. The row is kept with the options although it is not marked as one.',
  option_side_unknown:
    'A title of class says that a row is an option, and nothing says whether it is a put or a call. The position may contain options and is left out of value totals.',
  text_table:
    'The report is from before 2013 and its table is text. Its columns were read by their position.',
  text_value_unsure:
    'A row of a text table is uncertain. A figure is not clearly in its column, or the amount type (SH or PRN) is missing. The row may be an option without being marked clearly, or its value per share differs from the other rows of the security. Or it takes its CUSIP from the row above, and nothing shows that it is of that security.',
  mapping_later_source:
    'The ticker was resolved with lower confidence: its source is dated after the as-of date or has no date.',
  acquired_disposed_mismatch: 'The transaction code and the acquired or disposed mark contradict each other.',
  equity_swap: 'The trade is part of an equity swap, not an open-market trade.',
  price_missing: 'The price is missing or only in a footnote. The trade is counted as unpriced.',
  price_zero: 'The price is zero. The trade is counted as unpriced.',
  weighted_average_price: 'A footnote says that the price is a weighted average of several trades.',
  shares_not_positive: 'The share count is missing, zero or negative.',
  date_implausible:
    'The transaction date is after the filing date or before 1990. The period of report places the trade in the window.',
  duplicate_trade:
    'Another filing reports the same trade: it agrees in date, shares and price, and shares a reporting owner or shows by names or ownership that one group reports one block. The trade is counted once.',
  superseded_by_amendment: 'A later amendment restates the row.',
  unreconciled_amendment:
    'An amendment restates a trade that matches no stored original, or one under another code. Both are kept.',
  share_class_unresolved: 'The share class of the trade is unknown. The trade is counted for this security.',
  other_share_class:
    'The title or the symbol names another security of the issuer, so the trade is left out.',
  price_implausible:
    'The price is negative, or more than ten times the prices before and after it: those that 13F reports imply at the ends of its quarter, else those of other trades of the security. Where only one is known, the price is more than a thousand times that one. Or it is the total of the trade: more than ten times a price around it and, divided by the shares, within a factor of three of it. The trade is counted but left out of value sums.',
  possible_offering:
    'At least three insiders traded on the same day at exactly the same price, as in an offering or a placement.',
  depositary_ratio:
    'A footnote says how many ordinary shares a depositary share represents, so shares and price may not be in the same unit.',
  footnote_mentions_10b5_1: 'A footnote mentions a Rule 10b5-1 plan.',
  plan_sale: 'The sale was made under a Rule 10b5-1 plan, by the box of the form, its remarks or a footnote.',
  sell_to_cover: 'A footnote says that the shares were sold to pay taxes on them.',
  exercise_and_sell:
    'The form shows an exercise of options or vested units on the same day, of at least as many shares as were sold.',
  foreign_currency_price:
    'A footnote or the title gives the price in another currency than the US dollar. The trade is counted as unpriced.',
  price_of_other_security:
    'A footnote says that the price is that of another security than the row counts, as of a depositary share where ordinary shares are counted. The trade is counted as unpriced.',
  row_unreadable:
    'A value of the row is missing or cannot be read, so the row is left out. The other rows of the form count.',
};
