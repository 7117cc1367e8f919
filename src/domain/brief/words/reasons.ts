import type { JudgedObservation } from '../../holders/institutional.ts';
import type { ManagerObservation } from '../../holders/observation.ts';
import type { Reason } from '../../quality/quality.ts';
import { factorWords } from './artifact-detail.ts';

type Sentence = (observations: readonly ManagerObservation[]) => string;

/**
 * Reasons that a reader must know of although the numbers already allow for them, as sentences in this
 * order. Each gets the observations that carry it, of which there is at least one.
 */
const SENTENCES: readonly (readonly [Reason, Sentence])[] = [
  [
    'split_adjusted',
    (all) =>
      `The share counts of its holders confirm a split of ${factorsOf(all)}: ${counted(all, 'earlier position')} restated by it.`,
  ],
  [
    'split_suspected',
    (all) => `${counted(all, 'change')} in doubt for a share split that the holders do not clearly confirm.`,
  ],
  [
    'cusip_changed',
    (all) =>
      `The security had the CUSIP ${cusipsOf(all)} in the quarter before: ${counted(all, 'earlier position')} taken from there.`,
  ],
  [
    'cusip_change_suspected',
    (all) =>
      `${counted(all, 'change')} in doubt for a new CUSIP of the security that the holders do not confirm.`,
  ],
  [
    'probable_corporate_action',
    (all) =>
      `Most holders left or entered the security together in one quarter, as in a merger, a spin-off or a delisting: ${counted(all, 'change')} no decision of a manager.`,
  ],
  [
    'cusip_mistyped_elsewhere',
    (all) =>
      `${counted(all, 'initiation or exit', 'initiations and exits')} in doubt because the other report names the issuer under an unusable CUSIP.`,
  ],
  [
    'manager_reorganised',
    (all) => `${counted(all, 'manager')} in the place of another one that no longer reports.`,
  ],
  [
    'identical_book',
    (all) =>
      `${all.length === 1 ? '1 manager reports' : `${all.length} managers report`} the very same positions as another one, as affiliates do; they may be counted twice.`,
  ],
  [
    'confidential_revealed',
    (all) =>
      `${counted(all, 'position')} from an amendment that reveals what was confidential: held at the end of the quarter, not bought when it was published.`,
  ],
  [
    'prior_confidential_omitted',
    (all) =>
      `${counted(all, 'initiation')} set against a report that omits confidential positions: what seems new may have been held before.`,
  ],
  [
    'entry_total_mismatch',
    (all) =>
      `${counted(all, 'observation')} from a report, or set against one, that has another number of rows than it declares: positions may be missing there.`,
  ],
  [
    'value_total_mismatch',
    (all) =>
      `${counted(all, 'observation')} from a report, or set against one, whose values do not add up to the total that it declares: positions may be missing there.`,
  ],
  [
    'implied_price_outlier',
    (all) =>
      `${counted(all, 'value')} far from the price that other holders report, and in no sum of values.`,
  ],
  [
    'value_unit_unverified',
    (all) =>
      `${counted(all, 'value')} in a unit that could not be checked against other filers; the share counts are not affected.`,
  ],
  [
    'value_unit_thousands_after_2023',
    (all) => `${counted(all, 'value')} filed in thousands instead of dollars and corrected.`,
  ],
  [
    'value_unit_dollars_before_2023',
    (all) => `${counted(all, 'value')} filed in dollars instead of thousands and corrected.`,
  ],
  [
    'text_table',
    (all) => `${counted(all, 'position')} read from a text table of before 2013, by its columns.`,
  ],
];

export function reasonLimits(judged: readonly JudgedObservation[]): string[] {
  return SENTENCES.flatMap(([reason, sentence]) => {
    const found = judged.filter(({ quality }) => quality.reasons.includes(reason));
    return found.length === 0 ? [] : [sentence(found.map(({ observation }) => observation))];
  });
}

/** Several only where a security was split in one quarter and again in the next. */
function factorsOf(observations: readonly ManagerObservation[]): string {
  const factors = observations.flatMap(({ restated }) =>
    restated === null ? [] : [factorWords(restated.factor)],
  );
  return [...new Set(factors)].sort().join(' and ');
}

function cusipsOf(observations: readonly ManagerObservation[]): string {
  const cusips = observations.flatMap(({ restated }) => restated?.fromCusip ?? []);
  return [...new Set(cusips)].sort().join(' and ');
}

function counted(observations: readonly unknown[], noun: string, nouns = `${noun}s`): string {
  const { length } = observations;
  return length === 1 ? `1 ${noun} is` : `${length} ${nouns} are`;
}
