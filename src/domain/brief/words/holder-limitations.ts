import { type InstitutionalLeg, MAX_INSTITUTIONAL_CHANGES } from '../../holders/institutional.ts';
import type { JudgedObservation } from '../../holders/observation.ts';
import { netDelta } from '../../holders/totals.ts';
import { abs } from '../../money.ts';
import { doubtWords, lacksShares } from './holder-words.ts';
import { are, counted, signed } from './numbers.ts';
import { reasonSentences, type Sentences } from './reason-limitations.ts';

/** What a reader must know of the 13F leg. */
export function holderLimitations(institutional: InstitutionalLeg): Sentences {
  const { judged, changes, uncertain } = institutional;
  const baselines = institutional.counted.filter(
    (one) => one.action === 'baseline_only' && !lacksShares(one),
  ).length;
  const excluded = judged.length - institutional.counted.length;
  const hidden = judged.filter(({ quality }) => quality.reasons.includes('confidential_omitted')).length;
  const imported = judged.filter(isImported).length;
  return {
    baselines:
      baselines > 0 &&
      `${counted(baselines, 'manager has', 'managers have')} no comparable report for the quarter before. ${baselines === 1 ? 'Its position is a baseline, not a change' : 'Their positions are baselines, not changes'}.`,
    imported_13f:
      imported > 0 &&
      `${counted(imported, 'report was', 'reports were')} read from the SEC's quarterly data sets, not from the filings. Only the day of publication is known.`,
    ...reasonSentences(judged),
    confidential_omitted:
      hidden > 0 &&
      `${counted(hidden, 'apparent exit')} may be ${hidden === 1 ? 'a position' : 'positions'} kept confidential.`,
    uncertain_left_out:
      uncertain > 0 &&
      `${are(uncertain, 'uncertain observation')} left out of the direction; see quality_artifacts.`,
    direction_suppressed:
      institutional.isSuppressed && `No direction is given because ${doubtWords(institutional)}.`,
    options_moved: optionWords(institutional),
    observations_excluded:
      excluded > 0 &&
      `${are(excluded, 'observation')} unusable and excluded from all figures; see quality_artifacts.`,
    changes_cut:
      changes.length > MAX_INSTITUTIONAL_CHANGES &&
      `Only the ${MAX_INSTITUTIONAL_CHANGES} largest of ${changes.length} changes, by shares, are shown. The counts cover all of them.`,
  };
}

/** Every document has a time, except those from before 2003, whose tables are text. */
function isImported({ observation: { publishedAt }, quality }: JudgedObservation): boolean {
  return publishedAt.precision === 'day' && !quality.reasons.includes('text_table');
}

/** Where options moved more shares than the managers' own shares did (rule 7.8). */
function optionWords({ options: { put, call }, totals }: InstitutionalLeg): string | false {
  const net = abs(netDelta(totals));
  if (abs(put) <= net && abs(call) <= net) return false;
  const moved = [put !== 0n && `puts ${signed(put)}`, call !== 0n && `calls ${signed(call)}`];
  return `Options on it changed by more shares than the managers' own holdings: ${moved.filter(Boolean).join(', ')}. The direction does not count them.`;
}
