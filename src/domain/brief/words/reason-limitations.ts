import {
  isInEarlierTerms,
  isRestatedForSplit,
  type JudgedObservation,
  type ManagerObservation,
} from '../../holders/observation.ts';
import type { Reason } from '../../quality/quality.ts';
import type { LimitationCode } from '../../wire/limitation.ts';
import { are, counted, factorWords, listed } from './numbers.ts';

const MAX_PAIRS = 3;

type Sentence = (observations: readonly ManagerObservation[]) => string;

/**
 * Reasons that a reader must know although the numbers already allow for them, as sentences in this
 * order. Each sentence receives the observations that carry its reason, at least one.
 */
const SENTENCES = {
  split_adjusted: (all) =>
    ofEarlierAndLate(all, {
      // One that only has another CUSIP now was restated before.
      isLate: (one) => isInEarlierTerms(one) && one.filedCurrentShares !== one.currentShares,
      earlier: (some) =>
        `${are(some.length, 'earlier position')} restated for a split of ${factorsOf(some)}, which the SEC's daily prices and the share counts of holders prove.`,
      late: (some) =>
        `${counted(some.length, 'position was', 'positions were')} reported in shares from before a split of ${factorsOf(some)} and restated for it.`,
    }),
  split_suspected: (all) => {
    const unbooked = all.filter(isRestatedForSplit).length;
    const like = all.length - unbooked;
    return sentences(
      like > 0 &&
        `${counted(like, 'change looks', 'changes look')} like a share split that is not proven, so ${like === 1 ? 'it is' : 'they are'} uncertain.`,
      unbooked > 0 &&
        `${are(unbooked, 'change')} uncertain because the report does not seem to show the share split.`,
    );
  },
  cusip_changed: (all) =>
    ofEarlierAndLate(all, {
      isLate: isInEarlierTerms,
      earlier: (some) =>
        `${are(some.length, 'earlier position')} taken from CUSIP ${cusipsOf(some)}, which the security had in the quarter before.`,
      late: (some) =>
        `${are(some.length, 'position')} reported under CUSIP ${cusipsOf(some)}, which the security had before.`,
    }),
  taken_in_stated: (all) => takenInWords(all.length),
  cusip_change_suspected: (all) =>
    `${are(all.length, 'change')} uncertain because of a new CUSIP of the security that is not proven.`,
  probable_corporate_action: (given) => {
    const all = given.filter((one) => !isNewListing(one));
    const few = given.length - all.length;
    return sentences(
      all.length > 0 &&
        `${all.length === 1 ? '1 change is probably not a decision of the manager' : `${all.length} changes are probably not decisions of the managers`}. Most holders left or entered the security together in one quarter, as in a merger, a spin-off or a delisting, or were given its shares in a merger.`,
      few > 0 &&
        `${are(few, 'initiation')} uncertain because the security was new on the market: shares may have been bought, or given as in a spin-off.`,
    );
  },
  moved_between_reports: (all) =>
    `${are(all.length, 'change')} uncertain because shares may have moved between the reports of ${pairsOf(all)}.`,
  cusip_checksum_failed: (all) => `${counted(all.length, 'row')} of a mistyped CUSIP may be of the security.`,
  cusip_mistyped_elsewhere: (all) =>
    `${counted(all.length, 'initiation or exit is', 'initiations or exits are')} uncertain because the other report names the issuer under an unusable CUSIP.`,
  manager_reorganised: (all) =>
    `${all.length === 1 ? '1 manager took over the positions of another manager that no longer reports' : `${all.length} managers took over the positions of other managers that no longer report`}.`,
  identical_positions: (all) =>
    `${counted(all.length, 'manager reports', 'managers report')} exactly the same positions as another one, as affiliates do. They may be counted twice.`,
  confidential_revealed: (all) =>
    `${counted(all.length, 'position comes', 'positions come')} from an amendment that discloses confidential holdings. ${all.length === 1 ? 'It was' : 'They were'} held at the end of the quarter, not bought on the day of publication.`,
  prior_confidential_omitted: (all) =>
    `${are(all.length, 'initiation')} compared with a report that omits confidential positions. What seems new may have been held before.`,
  entry_total_mismatch: (all) =>
    `${fromReport(all)} whose number of rows differs from the number that it declares. Positions may be missing there.`,
  value_total_mismatch: (all) =>
    `${fromReport(all)} whose values do not add up to the total that it declares. Positions may be missing there.`,
  implied_price_outlier: (all) =>
    `${are(all.length, 'value')} far from the price that other holders report, and left out of all value sums.`,
  shares_equal_value: (all) =>
    `${counted(all.length, 'report repeats', 'reports repeat')} values as share counts. ${all.length === 1 ? 'Its share count is unknown, so its position is a baseline, not a change' : 'Their share counts are unknown, so their positions are baselines, not changes'}.`,
  value_unit_unverified: (all) =>
    `The scale of ${counted(all.length, 'value')} could not be checked against other filers. Share counts are not affected.`,
  value_unit_thousands_after_2023: (all) =>
    `${counted(all.length, 'value was', 'values were')} filed in thousands instead of dollars and corrected.`,
  value_unit_dollars_before_2023: (all) =>
    `${counted(all.length, 'value was', 'values were')} filed in dollars instead of thousands and corrected.`,
  text_table: (all) =>
    `${counted(all.length, 'position was', 'positions were')} read from the columns of a text table from before 2013.`,
} satisfies Partial<Record<Reason, Sentence>>;

/** Sentences by the codes of their limitations, in order; false for one that does not apply. */
export type Sentences = { readonly [Code in LimitationCode]?: string | false };

/** The sentences of the reasons that these observations carry. */
export function reasonSentences(judged: readonly JudgedObservation[]): Sentences {
  const sentences = Object.entries<Sentence>(SENTENCES).map(([reason, sentence]) => {
    const found = judged.filter(({ quality }) => quality.reasons.some((one) => one === reason));
    return [reason, found.length > 0 && sentence(found.map(({ observation }) => observation))];
  });
  return Object.fromEntries(sentences);
}

/** Of positions that a manager reports since this quarter (rule 2.12): the shares before are more than were reported. */
export function takenInWords(positions: number): string {
  return `${counted(positions, 'earlier position includes', 'earlier positions include')} shares that another manager reported before, as the cover of the report lists them.`;
}

function isNewListing({ corporateActions }: ManagerObservation): boolean {
  return corporateActions.some((one) => one.kind === 'mass_entry' && one.listedOn !== undefined);
}

/** Up to three, and how many more. */
function pairsOf(observations: readonly ManagerObservation[]): string {
  const pairs = observations.map(({ name, movedWith = [] }) => [name, ...movedWith].toSorted());
  const texts = [...new Set(pairs.map(listed))].sort();
  const rest = texts.length - MAX_PAIRS;
  return [...texts.slice(0, MAX_PAIRS), ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
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

type Ends = {
  readonly isLate: (observation: ManagerObservation) => boolean;
  readonly earlier: Sentence;
  readonly late: Sentence;
};

/** Earlier positions in the terms of today, and reports that still have the earlier terms. */
function ofEarlierAndLate(all: readonly ManagerObservation[], { isLate, earlier, late }: Ends): string {
  const lateOnes = all.filter(isLate);
  const others = all.filter((one) => !isLate(one));
  return sentences(others.length > 0 && earlier(others), lateOnes.length > 0 && late(lateOnes));
}

function sentences(...some: readonly (string | false)[]): string {
  return some.filter((one) => one !== false).join(' ');
}

/** An observation of a report with this reason, or of a report that is compared with one. */
function fromReport(all: readonly unknown[]): string {
  return `${counted(all.length, 'observation comes from, or is', 'observations come from, or are')} compared with, a report`;
}
