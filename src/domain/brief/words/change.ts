import {
  type InstitutionalLeg,
  type JudgedObservation,
  periodsCompared,
  periodsOf,
} from '../../holders/institutional.ts';
import type { QuarterEnd } from '../../ids.ts';
import type { Insiders, Institutional, Outcome } from '../../wire/brief.ts';
import type { BriefInput } from '../input.ts';
import { FORM4_WINDOW_DAYS, type InsiderLeg } from '../insider-leg.ts';

export const DISCLAIMER =
  'Reported filing changes are not real-time trades and not investment advice. 13F reports show quarter-end positions of some managers, weeks after the fact; Form 4 shows what insiders report. Check the cited filings before relying on anything here.';

export const EXPLANATION = [
  "The institutional leg compares each tracked manager's reported shares with its report for the adjacent prior quarter, by shares and never by value; uncertain observations are counted but leave the direction.",
  'While the filing window of a quarter is open, a manager that has not reported it counts by its report for the quarter before.',
  "Earlier share counts are restated for splits and new CUSIPs that the holders' own reports confirm.",
  'Both directions present, the net change must reach 20 % of the gross change to be called a direction.',
  `The insider leg counts open-market purchases (code P, acquired) and sales (code S, disposed) in the issuer's non-derivative Form 4 tables over ${FORM4_WINDOW_DAYS} days by transaction date, and weighs them by priced value with the same 20 %.`,
  'Corroboration compares the two directions and is not_comparable when either is missing.',
].join(' ');

const INSTITUTIONAL_WORDS: Record<Institutional['stance'], string> = {
  net_increases: 'tracked managers on balance added shares',
  net_decreases: 'tracked managers on balance cut shares',
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

/** One sentence that says no more than the numbers do. */
export function headlineOf(input: BriefInput, outcome: Outcome, legs: Legs): string {
  const { requestedTicker: ticker, resolution, corpus } = input;
  if (outcome === 'refused')
    return `${ticker}: more than one issuer goes by this ticker, so no brief is given.`;
  if (resolution.kind !== 'resolved') return `${ticker}: no security is known by this ticker.`;
  const { institutional, insiders } = legs;
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

/** While the window is open, a report carried over from the quarter before tells nothing of the latest. */
function quarterWords(observed: readonly JudgedObservation[], latest: QuarterEnd): string {
  const compared = periodsCompared(observed);
  const periods = compared.length > 0 ? compared : periodsOf(observed);
  if (periods.every(({ quarter_end }) => quarter_end === latest)) return ` in the quarter ended ${latest}`;
  const parts = periods.map(
    ({ quarter_end, managers }) =>
      `${managers} ${quarter_end === latest ? 'for' : 'carried from'} ${quarter_end}`,
  );
  return ` in their latest reports, ${parts.join(' and ')}`;
}

type Legs = { readonly institutional: InstitutionalLeg; readonly insiders: InsiderLeg };

function actions({ counts, changes }: InstitutionalLeg): string {
  if (changes.length === 0) return '';
  const { initiated, added, reduced, exited } = counts;
  return ` (${initiated} initiated, ${added} added, ${reduced} reduced, ${exited} exited)`;
}

function sides({ counts: { buys, sells } }: InsiderLeg): string {
  if (buys + sells === 0) return '';
  return ` (${buys} ${buys === 1 ? 'purchase' : 'purchases'}, ${sells} ${sells === 1 ? 'sale' : 'sales'})`;
}
