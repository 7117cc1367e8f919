import { doubtWords } from '../brief/words/holder-words.ts';
import { are, counted, factorWords, listed, namedFilings } from '../brief/words/numbers.ts';
import { takenInWords } from '../brief/words/reason-limitations.ts';
import { restatedAmount } from '../change/restate.ts';
import type { SecurityCusip } from '../holders/former-cusips.ts';
import { holderList } from '../holders/holders.ts';
import { type InstitutionalLeg, institutionalLeg } from '../holders/institutional.ts';
import { hasKnownShares, type JudgedObservation, type ManagerObservation } from '../holders/observation.ts';
import type { Accession, Cik, Cusip, QuarterEnd } from '../ids.ts';
import { isValued } from '../report/holding.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/report.ts';
import type { Institutional } from '../wire/brief.ts';

/** A manager's shares in one quarter and in the quarter before, both in today's shares. */
type TodaysShares = { readonly now: bigint; readonly before: bigint };

type HeldPosition = {
  readonly cik: Cik;
  readonly cusip: Cusip;
  readonly amount: bigint;
  readonly priorAmount: bigint;
};

/** What managers held of a security at the end of a quarter, and what they changed in it (rule 7.7). */
export type QuarterLine = {
  readonly quarter_end: QuarterEnd;
  readonly holders: number;
  readonly shares: string;
  readonly value_cents: string;
  readonly counts: Institutional['counts'];
  readonly net_share_delta: string;
  readonly stance: Institutional['stance'];
  readonly limitations: readonly string[];
};

type InQuarter = {
  readonly quarterEnd: QuarterEnd;
  /** Judged in the shares of the quarter. */
  readonly holders: readonly ManagerObservation[];
  readonly shares: ReadonlyMap<Cik, TodaysShares>;
  /** Today's shares for each share of the quarter, for each CUSIP that was held. */
  readonly factors: readonly SplitFactor[];
};

/**
 * One line of a position history. Everything is judged and counted in the shares of the quarter, exactly
 * as in the list of its holders; only sums of shares are in today's shares.
 */
export function quarterLine({ quarterEnd, holders, shares, factors }: InQuarter): QuarterLine {
  const { rows, totals, counts } = holderList(holders, quarterEnd);
  const leg = institutionalLeg(holders);
  const { stale: _none, ...actions } = counts;
  const sharesOf = ({ observation }: JudgedObservation): TodaysShares =>
    shares.get(observation.cik) ?? { now: 0n, before: 0n };
  const summed = rows.filter(
    (row) => row.observation.currentShares > 0n && row.quality.status !== 'excluded' && hasKnownShares(row),
  );
  const moved = leg.changes.filter(({ quality }) => quality.status === 'clear');
  const sum = (amounts: readonly bigint[]): string => String(amounts.reduce((all, one) => all + one, 0n));
  return {
    quarter_end: quarterEnd,
    holders: totals.holders,
    shares: sum(summed.map((row) => sharesOf(row).now)),
    value_cents: String(totals.valueCents),
    counts: actions,
    net_share_delta: sum(moved.map((row) => sharesOf(row).now - sharesOf(row).before)),
    stance: leg.stance,
    limitations: lineLimitations(leg, factors),
  };
}

/** The shares of each manager, whatever CUSIPs it holds them under. */
export function todaysShares(
  positions: readonly HeldPosition[],
  names: readonly SecurityCusip[],
): Map<Cik, TodaysShares> {
  const factors = new Map(names.map(({ cusip, factor }) => [cusip, factor]));
  const shares = new Map<Cik, TodaysShares>();
  for (const { cik, cusip, amount, priorAmount } of positions) {
    const factor = factors.get(cusip) ?? ONE_FOR_ONE;
    const { now, before } = shares.get(cik) ?? { now: 0n, before: 0n };
    shares.set(cik, {
      now: now + restatedAmount(amount, factor, null),
      before: before + restatedAmount(priorAmount, factor, null),
    });
  }
  return shares;
}

/** What the line of a quarter lacks, as sentences. */
function lineLimitations(leg: InstitutionalLeg, factors: readonly SplitFactor[]): string[] {
  const { counts, judged, uncertain, isSuppressed } = leg;
  const baselines = counts.baseline_only;
  const takenIn = judged.filter(({ quality }) => quality.reasons.includes('taken_in_stated')).length;
  const sentences = [
    ...restatements(factors),
    takenIn > 0 && takenInWords(takenIn),
    baselines > 0 &&
      `${counted(baselines, 'manager has', 'managers have')} no comparable report for the quarter before, so what ${baselines === 1 ? 'it' : 'they'} changed is not known.`,
    uncertain > 0 && `${are(uncertain, 'uncertain observation')} left out of the net change and the stance.`,
    isSuppressed && `No direction is given because ${doubtWords(leg)}.`,
  ];
  return [...sentences.filter((sentence) => sentence !== false), ...leftOutOf(judged)];
}

/** What sums over these observations leave out, and why (rule 7.3). */
export function leftOutOf(judged: readonly JudgedObservation[]): string[] {
  const observed = judged.filter(({ quality }) => quality.status !== 'excluded');
  const excluded = judged.length - observed.length;
  const held = observed.filter(({ observation }) => observation.currentShares > 0n);
  const unvalued = held.filter(({ quality }) => !isValued(quality)).length;
  const doubted = held.filter(({ observation }) => observation.isDoubted).length;
  const uncounted = held.filter(({ quality }) => quality.reasons.includes('shares_equal_value')).length;
  const sentences = [
    excluded > 0 && `${are(excluded, 'observation')} unusable and excluded from all figures.`,
    unvalued > 0 &&
      `${counted(unvalued, 'value implies', 'values imply')} no plausible price of the security and ${unvalued === 1 ? 'is' : 'are'} left out of the value.`,
    doubted > 0 &&
      `${counted(doubted, 'position is', 'positions are')} of filings that are not believed and left out of the shares and the value.`,
    uncounted > 0 &&
      `${counted(uncounted, 'share count only repeats the value and is', 'share counts only repeat the values and are')} left out of the shares.`,
  ];
  return sentences.filter((sentence) => sentence !== false);
}

/** One sentence for each factor other than 1. */
function restatements(factors: readonly SplitFactor[]): string[] {
  const restated = factors.filter(({ numerator, denominator }) => numerator !== denominator);
  const words = new Set(restated.map(factorWords));
  return [...words].map((factor) => `Shares are restated ${factor}, for splits and new CUSIPs since then.`);
}

/** Splits between the quarter and today that nothing proves; two of one factor are two. */
export function suspectedSplits(factors: readonly SplitFactor[]): string {
  const words = listed(factors.map(factorWords));
  return factors.length === 1
    ? `A split of about ${words} since then is only suspected: shares may be those of before it.`
    : `Splits of about ${words} since then are only suspected: shares may be those of before them.`;
}

export const NO_REPORTS = 'No 13F report for this quarter is stored.';
export const NO_REPORT_OF_MANAGER = 'The manager has no report for this quarter.';
export const HELD_ELSEWHERE = 'The manager filed only a notice for this quarter: others report its holdings.';

export const LATER_CUSIP =
  'No source shows the CUSIP of the security before this quarter. It may have had another one, so its holders may be missing.';

/** @param cusips by which the managers hold securities of the issuer that no source names */
export function earlierCusip(managers: number, cusips: readonly string[]): string {
  return `No report of this quarter has the CUSIP of the security, but ${counted(managers, 'manager', 'managers')} held the same issuer by ${cusips.join(', ')}. An earlier CUSIP of the security may not be known, so its holders may be missing.`;
}

/** Filings of managers that held the security around the ends of their quarters; null for none. */
export function unreadFilings(filings: readonly { readonly accession: Accession }[]): string | null {
  if (filings.length === 0) return null;
  const accessions = filings.map(({ accession }) => accession);
  return `${counted(accessions.length, '13F filing')} could not be read: ${namedFilings(accessions)}. What ${accessions.length === 1 ? 'it says' : 'they say'} of the security is not known and in no figure.`;
}

/** @param deadline the last day on which reports of the quarter are due */
export function windowOpen(deadline: string): string {
  return `The filing window is open through ${deadline}. Managers that have not reported yet are not counted.`;
}
