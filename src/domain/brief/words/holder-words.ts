import {
  type InstitutionalLeg,
  MAX_INSTITUTIONAL_CHANGES,
  managersIn,
  type Period,
} from '../../holders/institutional.ts';
import { type JudgedObservation, sharesMoved } from '../../holders/observation.ts';
import { netDelta, type Totals, totalsItem } from '../../holders/totals.ts';
import type { QuarterEnd } from '../../ids.ts';
import { abs } from '../../money.ts';
import { quarterLabel } from '../../quarter.ts';
import { pctDelta } from '../../ratio.ts';
import { are, counted, percentWords, sharesWords, shortName, signed } from './numbers.ts';
import { reasonSentences, type Sentences } from './reason-limitations.ts';

/** Below this part of the shares held, holdings have hardly changed (rule 8.8). */
const HARDLY_CHANGED_PCT = 0.5;
/** … unless more than this part of them changed hands. */
const HARDLY_TURNED_PCT = 5;
/** Smaller parts would be written as 0.00 %. */
const LEAST_PCT = 0.005;
/** Up to so many managers are named. */
const MAX_NAMED = 2;
/** Of more, one is named that moved at least this part of all shares moved. */
const MOSTLY_PCT = 80;
/** Larger parts are written as times what was held. */
const MAX_PART_PCT = 1000;

/** What the managers moved, in words that say no more than the numbers do (rule 8.8). */
export function holderWords(leg: InstitutionalLeg, latest: QuarterEnd | null, unread: number): string {
  const { counts, counted: observed, judged, stance } = leg;
  if (latest === null) return 'No 13F report is stored';
  const when = quarterWords(observed.length > 0 ? observed : judged, latest);
  if (observed.length === 0 && unread > 0) {
    return `${counted(unread, '13F filing')} of managers that held it could not be read`;
  }
  if (judged.length === 0) return `No tracked manager reported shares${when}`;
  if (observed.length === 0) return `Tracked managers reported no usable position${when}`;
  if (counts.baseline_only === observed.length) {
    const holders = counted(observed.length, 'manager holds', 'managers hold');
    return `${holders} it${when}, ${observed.some(lacksShares) ? 'which cannot be compared with an earlier report' : 'and there is no earlier report to compare'}`;
  }
  if (stance === 'unchanged') {
    return `${counts.unchanged === 1 ? '1 manager kept its shares' : 'Managers kept their shares'}${when}`;
  }
  if (stance === 'not_determined') {
    return `The direction of managers is in doubt${when}${leg.isSuppressed ? `: ${doubtWords(leg)}` : ''}`;
  }
  return `${moveWords(leg, when)}${breadthWords(leg)}`;
}

/** Why no direction is given: no change is clear, or the uncertain ones are larger. */
export function doubtWords(leg: Judged): string {
  const uncertain = uncertainChanges(leg);
  if (uncertain < leg.changes.length) {
    return `${counted(uncertain, 'uncertain change outweighs', 'uncertain changes outweigh')} the clear ones`;
  }
  if (uncertain === 1) return 'the only change is uncertain';
  return `${uncertain === 2 ? 'both' : `all ${uncertain}`} changes are uncertain`;
}

/** Its share counts are unknown, whatever was reported before (rule 2.3). */
function lacksShares({ quality }: JudgedObservation): boolean {
  return quality.reasons.includes('shares_equal_value');
}

/** The net of the clear changes; those of one or two managers by name. */
function moveWords({ totals, changes, stance }: InstitutionalLeg, when: string): string {
  const { net_pct_of_held: pct } = totalsItem(totals);
  const net = netDelta(totals);
  const netWords = `net ${net === 0n ? '0 shares' : signed(net)}`;
  const part = pct === null || Math.abs(pct) < LEAST_PCT ? null : pct;
  if (pct !== null && Math.abs(pct) < HARDLY_CHANGED_PCT && !isTurnedOver(totals)) {
    return `Holdings hardly changed${when} (${part === null ? '' : `${percentWords(part)}, `}${netWords})`;
  }
  const clear = changes.filter(({ quality }) => quality.status === 'clear');
  if (clear.length <= MAX_NAMED) return `${clear.map(changeWords).join(' and ')}${when}`;
  const size = part === null ? '' : ` (${partWords(part, ' of those held')})`;
  if (stance === 'mixed') return `Managers moved both ways, ${netWords}${size}${when}`;
  const moved = `${oneWayWords(totals, clear)}${clear.every(isExit) ? '' : size}${when}`;
  return `${moved}${mostlyWords(totals, clear)}`;
}

/** The one manager behind most of a net, where there is one: the changes are in ranking order. */
function mostlyWords({ up, down }: Totals, [largest]: readonly JudgedObservation[]): string {
  if (largest === undefined) return '';
  const moved = sharesMoved(largest.observation) * 100n;
  return moved < (up.amount + down.amount) * BigInt(MOSTLY_PCT)
    ? ''
    : `, most of it by ${shortName(largest.observation.name)}`;
}

/** `+29 % of those held`, `103 times those held`. */
function partWords(pct: number, of: string): string {
  return pct < MAX_PART_PCT ? `${percentWords(pct)}${of}` : `${Math.round(pct / 100)} times those held`;
}

function oneWayWords(totals: Totals, clear: readonly JudgedObservation[]): string {
  const net = netDelta(totals);
  if (clear.every(isExit)) return `${clear.length} managers exited (${sharesWords(-net)})`;
  const isOneWay = totals.up.holders === 0 || totals.down.holders === 0;
  return `Managers ${net > 0n ? 'added' : 'cut'} ${isOneWay ? '' : 'a net '}${sharesWords(abs(net))}`;
}

function isExit({ action }: JudgedObservation): boolean {
  return action === 'exited';
}

/** Purchases and sales may cancel out. */
function isTurnedOver({ up, down, sharesBefore }: Totals): boolean {
  return (up.amount + down.amount) * 100n >= sharesBefore * BigInt(HARDLY_TURNED_PCT);
}

function changeWords({ observation, action }: JudgedObservation): string {
  const { name, currentShares, previousShares } = observation;
  const who = shortName(name);
  if (action === 'initiated') return `${who} initiated a position of ${sharesWords(currentShares)}`;
  if (action === 'exited') return `${who} exited its position of ${sharesWords(previousShares)}`;
  const verb = action === 'added' ? 'added' : 'cut';
  const moved = sharesWords(abs(currentShares - previousShares));
  return `${who} ${verb} ${moved} (${partWords(pctDelta(currentShares, previousShares), '')})`;
}

/** Heads beside shares: the larger number may have moved the other way. */
function breadthWords(leg: InstitutionalLeg): string {
  const { up, down } = leg.totals;
  const net = netDelta(leg.totals);
  const isOpposed = net > 0n ? down.holders > up.holders : net < 0n && up.holders > down.holders;
  const more = isOpposed ? `, but more managers ${net > 0n ? 'cut' : 'added'}: ` : '; ';
  const doubted = uncertainChanges(leg);
  const rest = doubted === 0 ? '' : `, ${doubted} in doubt`;
  return `${more}${headsWords(up.holders, down.holders)}${rest}`;
}

function headsWords(up: number, down: number): string {
  if (up === 0 && down > 0) return `${counted(down, 'holder')} down, none up`;
  return `${counted(up, 'holder')} up, ${down === 0 ? 'none' : down} down`;
}

type Judged = { readonly changes: readonly { readonly quality: { readonly status: string } }[] };

/** How many changes are in doubt. */
export function uncertainChanges({ changes }: Judged): number {
  return changes.filter(({ quality }) => quality.status === 'uncertain').length;
}

/** In an open window, a report carried forward from the quarter before says nothing about the latest one. */
function quarterWords(observed: readonly JudgedObservation[], latest: QuarterEnd): string {
  const compared = observed.filter(({ action }) => action !== 'baseline_only');
  const dated = (compared.length > 0 ? compared : observed).map(({ observation }) => observation.quarterEnd);
  const late = dated.filter((quarterEnd) => quarterEnd !== latest);
  if (late.length === 0) return ` in ${quarterLabel(latest)}`;
  const quarters = [...new Set(late)].map(quarterLabel).join(' and ');
  if (late.length === dated.length) return ` in ${quarters}`;
  return ` in ${quarterLabel(latest)} (${counted(late.length, 'manager')} still at ${quarters})`;
}

/** Not that they reported nothing: a selection of filings cannot know. */
export function behindWords(managers: number, quarterEnd: QuarterEnd): string {
  return `${counted(managers, 'manager')} that held the security ${managers === 1 ? 'has' : 'have'} no stored report for ${quarterEnd}`;
}

/**
 * Managers that held the security by their last reports, of earlier quarters, and count in no figure of this one.
 * @param stopped the newest quarter first; false for none
 */
export function stoppedWords(quarterEnd: QuarterEnd, stopped: readonly Period[]): string | false {
  const managers = managersIn(stopped);
  if (managers === 0) return false;
  const [last, first] = [stopped[0]?.quarter_end, stopped.at(-1)?.quarter_end];
  const span = first === last ? first : `${first} to ${last}`;
  const [their, are] = managers === 1 ? ['Its last report', 'is'] : ['Their last reports', 'are'];
  return `${behindWords(managers, quarterEnd)}. ${their}, for ${span}, ${are} not counted.`;
}

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
