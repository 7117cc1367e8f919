import { filingDeadline } from '../../calendar.ts';
import type { InstitutionalLeg } from '../../holders/institutional.ts';
import { MAX_INSIDER_TRANSACTIONS, MAX_INSTITUTIONAL_CHANGES } from '../../holders/ranking.ts';
import type { QuarterEnd } from '../../ids.ts';
import { isEffective } from '../../insider/trades.ts';
import type { Reason } from '../../quality/quality.ts';
import { previousQuarterEnd } from '../../quarter.ts';
import type { Coverage } from '../../wire/brief.ts';
import { newestDueQuarter, newestEndedQuarter } from '../coverage.ts';
import type { BriefInput } from '../input.ts';
import type { InsiderLeg } from '../insider-leg.ts';
import { reasonLimits } from './reasons.ts';

export type LimitationFacts = {
  readonly input: BriefInput;
  readonly coverage: Omit<Coverage, 'limitations'>;
  readonly institutional: InstitutionalLeg;
  readonly insiders: InsiderLeg;
};

/**
 * What a reader must know before relying on the numbers, as sentences, always in this order:
 * the security, the quarter and its window, the corpus, the 13F leg, the Form 4 leg.
 */
export function limitationsOf(facts: LimitationFacts): string[] {
  return [
    ...securityLimits(facts),
    ...quarterLimits(facts),
    'Form 13F positions are quarter-end disclosures: they do not tell on which day a manager traded.',
    ...corpusLimits(facts),
    ...institutionalLimits(facts),
    ...insiderLimits(facts),
  ];
}

function securityLimits({ input: { resolution, requestedTicker, asOf } }: LimitationFacts): string[] {
  if (resolution.kind === 'unknown') {
    return [`No source known on ${asOf} maps ${requestedTicker} to a security or an issuer.`];
  }
  if (resolution.kind === 'ambiguous') {
    const candidates = resolution.candidates.join('; ');
    return [`${requestedTicker} stands for more than one issuer around ${asOf}: ${candidates}.`];
  }
  return [
    ...when(
      resolution.cusip === null,
      `No CUSIP is known for ${resolution.ticker}, so 13F rows cannot be matched.`,
    ),
    ...when(
      resolution.issuerCik === null,
      `No issuer CIK is known for ${resolution.ticker}, so Form 4 filings cannot be matched.`,
    ),
    ...when(
      resolution.reasons.includes('mapping_later_source'),
      `The ticker was resolved from a source dated after ${asOf}, or undated, with lower confidence.`,
    ),
  ];
}

function quarterLimits({ input: { corpus, asOf, staleQuarters } }: LimitationFacts): string[] {
  const latest = corpus.latestReportedQuarterEnd;
  if (latest === null) return ['No 13F report is stored for any quarter.'];
  const deadline = filingDeadline(latest);
  const isOpen = corpus.filingWindow === 'open';
  const [due, ended] = [newestDueQuarter(asOf), newestEndedQuarter(asOf)];
  return [
    isOpen
      ? `The statutory 13F filing window for the quarter ended ${latest} is open through ${deadline}: more reports may come.`
      : `The statutory 13F filing window for the quarter ended ${latest} closed on ${deadline}.`,
    ...when(
      latest < due,
      `Reports for the quarter ended ${due} were due by ${filingDeadline(due)}, but none is stored.`,
    ),
    ...when(
      latest >= due && latest < ended,
      `The quarter ended ${ended} is over, but no tracked manager has reported it yet.`,
    ),
    ...behindLimits(staleQuarters, { latest, carried: isOpen ? previousQuarterEnd(latest) : null }),
  ];
}

/** Managers whose last report is of the quarter `carried` count by it, those further behind not at all. */
function behindLimits(
  quarters: readonly QuarterEnd[],
  { latest, carried }: { readonly latest: QuarterEnd; readonly carried: QuarterEnd | null },
): string[] {
  const counts = quarters.filter((quarter) => quarter === carried);
  const gone = quarters.filter((quarter) => quarter !== carried).sort();
  const [first, last] = [gone[0], gone.at(-1)];
  const span = first === last ? first : `${first} to ${last}`;
  const behind = (n: number): string =>
    `${counted(n, 'manager')} without a report for ${latest} held the security in ${n === 1 ? 'its last one' : 'their last ones'}`;
  return [
    ...when(
      counts.length > 0,
      `${behind(counts.length)}, for ${carried}: counted by ${counts.length === 1 ? 'it' : 'them'}, and no exit.`,
    ),
    ...when(gone.length > 0, `${behind(gone.length)}, for ${span}: not counted.`),
  ];
}

function corpusLimits({ input: { corpus } }: LimitationFacts): string[] {
  const { thirteenF, form4 } = corpus.quarantined;
  return [
    ...when(
      !corpus.sourceComplete,
      `The corpus (${corpus.corpus}) is a selection of EDGAR's filings: other managers and insiders may have reported more.`,
    ),
    ...when(thirteenF > 0, unread(thirteenF, '13F filing')),
    ...when(form4 > 0, unread(form4, 'Form 4 filing')),
  ];
}

function institutionalLimits({ institutional }: LimitationFacts): string[] {
  const { counts, judged, changes, uncertain } = institutional;
  const excluded = judged.length - institutional.counted.length;
  const hidden = countReason(
    judged.map(({ quality }) => quality),
    'confidential_omitted',
  );
  return [
    ...when(
      counts.baseline_only > 0,
      `${counted(counts.baseline_only, 'manager')} without a comparable report for the quarter before: no change, but a baseline.`,
    ),
    ...reasonLimits(judged),
    ...when(
      hidden > 0,
      `${counted(hidden, 'apparent exit')} may be of ${hidden === 1 ? 'a position' : 'positions'} kept confidential.`,
    ),
    ...when(uncertain > 0, `${are(uncertain, 'uncertain observation')} left out of the direction.`),
    ...when(
      institutional.isSuppressed,
      'The uncertain changes outweigh the clear ones, so no direction is given.',
    ),
    ...when(
      excluded > 0,
      `${are(excluded, 'observation')} unusable and in no number; see quality_artifacts.`,
    ),
    ...when(
      changes.length > MAX_INSTITUTIONAL_CHANGES,
      `Of ${changes.length} changes the ${MAX_INSTITUTIONAL_CHANGES} largest by shares are shown; the counts cover all.`,
    ),
  ];
}

function insiderLimits({ insiders, coverage: { form4 } }: LimitationFacts): string[] {
  const { trades, considered } = insiders;
  const otherClass = countReason(considered, 'other_share_class');
  const openClass = countReason(trades, 'share_class_unresolved');
  const unpriced = countReason(trades, 'price_missing') + countReason(trades, 'price_zero');
  const implausible = countReason(trades, 'price_implausible');
  const offered = countReason(trades, 'possible_offering');
  const dropped = considered.filter((trade) => !isEffective(trade)).length - otherClass;
  return [
    ...when(form4.status === 'unavailable', 'Form 4 filings of the issuer are not covered.'),
    ...when(
      form4.status === 'partial',
      `Form 4 coverage of the window from ${form4.window_start} to ${form4.window_end} is incomplete.`,
    ),
    ...when(
      trades.length > 0,
      'Codes P and S include private purchases and sales; the forms do not tell them apart.',
    ),
    ...when(
      unpriced > 0,
      `${counted(unpriced, 'trade')} without a price ${weigh(unpriced)} nothing in the stance.`,
    ),
    ...when(
      implausible > 0,
      `${counted(implausible, 'trade')} at a price that no share of the issuer had ${weigh(implausible)} nothing in the stance.`,
    ),
    ...when(
      offered > 0,
      `${counted(offered, 'trade')} may be part of an offering: one price, many insiders.`,
    ),
    ...when(otherClass > 0, `${are(otherClass, 'trade')} in other securities of the issuer, and left out.`),
    ...when(openClass > 0, `${are(openClass, 'trade')} counted although the share class is not told.`),
    ...when(
      dropped > 0,
      `${are(dropped, 'reported trade')} replaced, repeated or unusable; see quality_artifacts.`,
    ),
    ...when(
      trades.length > MAX_INSIDER_TRANSACTIONS,
      `Of ${trades.length} trades the ${MAX_INSIDER_TRANSACTIONS} newest are shown; the counts cover all.`,
    ),
  ];
}

function countReason(items: readonly { readonly reasons: readonly Reason[] }[], reason: Reason): number {
  return items.filter(({ reasons }) => reasons.includes(reason)).length;
}

function when(condition: boolean, sentence: string): string[] {
  return condition ? [sentence] : [];
}

function unread(count: number, noun: string): string {
  return `${counted(count, noun)} could not be read and ${count === 1 ? 'is' : 'are'} in no number.`;
}

function are(count: number, noun: string): string {
  return `${counted(count, noun)} ${count === 1 ? 'is' : 'are'}`;
}

function weigh(count: number): string {
  return count === 1 ? 'weighs' : 'weigh';
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
