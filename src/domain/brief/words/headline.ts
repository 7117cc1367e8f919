import { type InstitutionalLeg, periodsCompared, periodsOf } from '../../holders/institutional.ts';
import type { JudgedObservation } from '../../holders/judged.ts';
import { NET_SHARE_PERCENT } from '../../holders/stance.ts';
import type { QuarterEnd } from '../../ids.ts';
import type { Insiders, Institutional } from '../../wire/brief.ts';
import type { BriefFacts } from '../facts.ts';
import { FORM4_WINDOW_DAYS, type InsiderLeg } from '../insider-leg.ts';
import { counted } from './numbers.ts';

export const DISCLAIMER =
  'Reported filing changes are not real-time trades and not investment advice. 13F reports show the quarter-end positions of some managers, weeks later. Form 4 shows what insiders report. Check the cited filings before you rely on this brief.';

export const EXPLANATION = [
  'The institutional leg compares the shares that each tracked manager reported with its report for the quarter before.',
  'It compares share counts, never values.',
  'Uncertain observations are counted but left out of the direction.',
  'While a filing window is open, a manager that has not reported the quarter is counted by its report for the quarter before.',
  "Earlier share counts are restated for splits and new CUSIPs that the holders' own reports confirm.",
  `When managers moved both ways, the net must be at least ${NET_SHARE_PERCENT} % of the gross to count as a direction.`,
  "The insider leg counts open-market purchases (code P, acquired) and sales (code S, disposed) in the issuer's non-derivative Form 4 tables.",
  `It covers ${FORM4_WINDOW_DAYS} days by transaction date and weighs trades by priced value, with the same ${NET_SHARE_PERCENT} % rule.`,
  'Corroboration compares the two directions. It is not_comparable when either one is missing.',
].join(' ');

const INSTITUTIONAL_WORDS: Record<Institutional['stance'], string> = {
  net_increases: 'tracked managers increased their shares on balance',
  net_decreases: 'tracked managers reduced their shares on balance',
  mixed: 'tracked managers moved both ways without a clear balance',
  unchanged: 'tracked managers kept their shares',
  none_found: 'no tracked manager reported a position',
  not_determined: 'the direction of tracked managers cannot be determined',
};

const INSIDER_WORDS: Record<Insiders['stance'], string> = {
  net_buying: 'insiders were net buyers',
  net_selling: 'insiders were net sellers',
  mixed: 'insiders bought and sold without a clear balance',
  none_found: 'no open-market insider trade was found',
  not_available: 'insider trades are not covered',
};

/** One sentence that says no more than the numbers do (rule 8.8). */
export function headlineOf({ input, outcome, institutional, insiders }: BriefFacts): string {
  const { requestedTicker: ticker, resolution, corpus } = input;
  if (outcome === 'refused')
    return `${ticker}: no brief is given because more than one issuer uses this ticker.`;
  if (resolution.kind !== 'resolved') return `${ticker}: no security with this ticker is known.`;
  const managers =
    resolution.cusip === null
      ? '13F positions cannot be matched'
      : managerWords(institutional, corpus.latestReportedQuarterEnd);
  const trades = `${INSIDER_WORDS[insiders.stance]} in the ${FORM4_WINDOW_DAYS} days to ${insiders.window.end}${sides(insiders)}`;
  return `${resolution.ticker}: ${managers}; ${trades}.`;
}

function managerWords(leg: InstitutionalLeg, latest: QuarterEnd | null): string {
  if (latest === null) return 'no 13F report is stored';
  if (leg.counted.length === 0 && leg.judged.length > 0) {
    return `tracked managers reported no usable position${quarterWords(leg.judged, latest)}`;
  }
  return `${INSTITUTIONAL_WORDS[leg.stance]}${quarterWords(leg.counted, latest)}${actions(leg)}`;
}

/** In an open window, a report carried forward from the quarter before says nothing about the latest one. */
function quarterWords(observed: readonly JudgedObservation[], latest: QuarterEnd): string {
  const compared = periodsCompared(observed);
  const periods = compared.length > 0 ? compared : periodsOf(observed);
  if (periods.every(({ quarter_end }) => quarter_end === latest)) return ` in the quarter ended ${latest}`;
  const parts = periods.map(
    ({ quarter_end, managers }) =>
      `${managers} ${quarter_end === latest ? 'for' : 'carried forward from'} ${quarter_end}`,
  );
  return ` in their latest reports, ${parts.join(' and ')}`;
}

function actions({ counts, changes }: InstitutionalLeg): string {
  if (changes.length === 0) return '';
  const { initiated, added, reduced, exited } = counts;
  return ` (${initiated} initiated, ${added} added, ${reduced} reduced, ${exited} exited)`;
}

function sides({ counts: { buys, sells } }: InsiderLeg): string {
  return buys + sells === 0 ? '' : ` (${counted(buys, 'purchase')}, ${counted(sells, 'sale')})`;
}
