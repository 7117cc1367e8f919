import { NET_SHARE_PERCENT } from '../../holders/stance.ts';
import { FORM4_WINDOW_DAYS } from '../insider-leg.ts';

export const DISCLAIMER =
  'Reported filing changes are not real-time trades and not investment advice. 13F reports show the quarter-end positions of some managers, weeks later. Form 4 shows what insiders report. Check the cited filings before you rely on this brief.';

export const EXPLANATION = [
  'The institutional leg compares the shares that each tracked manager reported with its report for the quarter before.',
  'It compares share counts, never values.',
  'Uncertain observations are counted but left out of the direction.',
  'While a filing window is open, a manager that has not reported the quarter is counted by its report for the quarter before.',
  "Earlier share counts are restated for splits that the SEC's daily prices and a holder's count prove, and for new CUSIPs.",
  `When managers moved both ways, the net must be at least ${NET_SHARE_PERCENT} % of the gross to count as a direction.`,
  "The insider leg counts open-market purchases (code P, acquired) and sales (code S, disposed) in the issuer's non-derivative Form 4 tables.",
  `It covers ${FORM4_WINDOW_DAYS} days by transaction date and weighs trades by priced value, with the same ${NET_SHARE_PERCENT} % rule.`,
  'Corroboration compares the two directions. When either one is missing they cannot be compared (not_comparable).',
].join(' ');
