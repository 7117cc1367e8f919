import {
  changeItem,
  displayedChanges,
  evidenceIdsOf,
  type InstitutionalLeg,
  institutionalLeg,
  type Period,
  periodsCompared,
  silentIn,
} from '../holders/institutional.ts';
import {
  isChange,
  type JudgedObservation,
  type ManagerObservation,
  type Observed,
  sharesMoved,
} from '../holders/observation.ts';
import { type OptionObservation, optionsItem, totalsItem } from '../holders/totals.ts';
import { type Accession, type Cik, evidenceIdOf13f, type QuarterEnd } from '../ids.ts';
import { REASONS, type Reason } from '../quality/quality.ts';
import { rowNumbers } from '../report/row-range.ts';
import type { Institutional } from '../wire/brief.ts';
import { groupsOfHolders, type ReasonGroup } from './reason-group.ts';
import { holderLimitations, holderWords } from './words/holder-words.ts';
import type { Sentences } from './words/reason-limitations.ts';

/** The 1-based table rows that were read of a filing; none of a report that proves an absence. */
export type EvidenceRows = { readonly evidence_id: string; readonly rows: readonly number[] };

/** Some rows of a filing. */
type Read = { readonly evidenceId: string; readonly rows: readonly number[] };

/** Rule 8.3: what is in doubt or unread limits a brief from this part of the whole on. */
const LIMITING_PERCENT = 5;

/** The observation stays clear, but positions may be missing from its report or the one before. */
const MISSING_POSITIONS: ReadonlySet<Reason> = new Set([
  'entry_total_mismatch',
  'prior_confidential_omitted',
  'value_total_mismatch',
]);

/** Rule 8.6: up to so many ids a brief lists all its evidence, beyond that what it displays. */
export const MAX_EVIDENCE_IDS = 500;

/** An aggregate claim lists up to this many evidence ids itself. Beyond that it refers to the manifest. */
export const INLINE_EVIDENCE_IDS = 8;

/** The holders of a security, each by the report that it counts by. */
export type Holders = {
  /** The latest reported quarter; null for an empty corpus. */
  readonly latest: QuarterEnd | null;
  /** Managers counted (rule 7.1), in any order. */
  readonly observations: readonly ManagerObservation[];
  /** Options on the security by the same rule, in any order. */
  readonly options: readonly OptionObservation[];
  /** Each manager that is behind and held the security in its last report, of that quarter, counted or not. */
  readonly late: readonly { readonly cik: Cik; readonly quarterEnd: QuarterEnd }[];
  /** 13F filings of managers that held the security which cannot be read, by accession number. */
  readonly unread: readonly (UnreadFiling & { readonly cik: Cik })[];
};

/** A 13F filing that cannot be read. */
export type UnreadFiling = { readonly accession: Accession; readonly quarterEnd: QuarterEnd };

/** What of the wire's `institutional` follows from the holders alone. */
type Leg = Omit<Institutional, 'latest_reported_quarter_end' | 'stale_manager_observations'>;

/**
 * All that a brief says of the holders of its security, whatever the day, the corpus and the insiders are
 * (rule 13.9). Plain JSON; only the ids of managers grow with the holders.
 */
export type HolderFacts = {
  readonly leg: Leg;
  readonly isSuppressed: boolean;
  readonly uncertain: number;
  /** Observations, the excluded ones included. */
  readonly read: number;
  /** Counted changes, shown or not. */
  readonly changed: number;
  readonly periodsCompared: readonly Period[];
  /** Managers without a stored report for the latest quarter, by the quarter of their last report, the newest first. */
  readonly late: readonly Period[];
  readonly unread: readonly UnreadFiling[];
  readonly lacksComparison: boolean;
  readonly isMoveDoubted: boolean;
  readonly headline: string;
  readonly limitations: Sentences;
  readonly reasons: readonly ReasonGroup[];
  /** CIKs of those counted. */
  readonly managers: readonly string[];
  /** Evidence of every counted observation and option and of the examples: how much, and the first ids in their order. */
  readonly evidence: { readonly count: number; readonly ids: readonly string[] };
  /** The first ids of the counted observations, one more than a claim may list. */
  readonly claimed: readonly string[];
  /** Rows behind the changes on display. */
  readonly displayedRows: readonly EvidenceRows[];
};

/** With the rows behind all their evidence, in the order of its ids. */
export type ReadHolders = { readonly facts: HolderFacts; readonly evidence: readonly EvidenceRows[] };

export function holderFacts(holders: Holders): ReadHolders {
  const { latest, observations, options, unread } = holders;
  const leg = institutionalLeg(observations, options);
  const reasons = groupsOfHolders(leg);
  const evidence = evidenceOf(leg, reasons);
  const changes = displayedChanges(leg).map(changeItem);
  const displayed = new Set(changes.flatMap((change) => change.evidence_ids));
  const ids = evidence.map(({ evidence_id }) => evidence_id);
  const isFiled = leg.judged.length + unread.length > 0;
  const facts = {
    leg: {
      // What was filed and cannot be read, or used, may hold it.
      stance: leg.counted.length === 0 && isFiled ? ('not_determined' as const) : leg.stance,
      ranking_basis: 'absolute_reported_share_change' as const,
      changes,
      counts: leg.counts,
      totals: totalsItem(leg.totals),
      options: optionsItem(leg.options),
      tracked_managers_observed: leg.counted.length,
      periods_observed: leg.periods,
    },
    isSuppressed: leg.isSuppressed,
    uncertain: leg.uncertain,
    read: leg.judged.length,
    changed: leg.changes.length,
    periodsCompared: periodsCompared(leg.counted),
    late: latest === null ? [] : silentIn(latest, holders),
    unread: unread.map(({ accession, quarterEnd }) => ({ accession, quarterEnd })),
    lacksComparison: lacksComparison(leg),
    isMoveDoubted: isMoveDoubted(leg),
    headline: holderWords(leg, latest, unread.length),
    limitations: holderLimitations(leg),
    reasons,
    managers: leg.counted.map(({ observation }) => observation.cik),
    evidence: { count: ids.length, ids: ids.slice(0, MAX_EVIDENCE_IDS) },
    claimed: claimedOf(leg),
    displayedRows: evidence.filter(({ evidence_id }) => displayed.has(evidence_id)),
  };
  return { facts, evidence };
}

const NOBODY: Holders = { latest: null, observations: [], options: [], late: [], unread: [] };
export const NO_HOLDERS = holderFacts(NOBODY).facts;

function evidenceOf(
  { judged, counted, options }: InstitutionalLeg,
  reasons: readonly ReasonGroup[],
): EvidenceRows[] {
  const examples = reasons.flatMap((group) => group.examples.flatMap((example) => example.evidence_ids));
  const filed = [...observationsIn(counted), ...options.counted].flatMap(evidenceIdsOf);
  const ids = [...new Set([...filed, ...examples])].sort();
  return rowsBehind(ids, rowsRead([...observationsIn(judged), ...options.counted]));
}

/** One after another, because few are needed. */
function claimedOf({ counted }: InstitutionalLeg): string[] {
  const claimed = new Set<string>();
  for (const { observation } of counted) {
    for (const id of evidenceIdsOf(observation)) claimed.add(id);
    if (claimed.size > INLINE_EVIDENCE_IDS) break;
  }
  return [...claimed].slice(0, INLINE_EVIDENCE_IDS + 1);
}

function observationsIn(judged: readonly JudgedObservation[]): Observed[] {
  return judged.map(({ observation }) => observation);
}

export function isLimiting(part: bigint | number, whole: bigint | number): boolean {
  return part > 0 && BigInt(part) * 100n >= BigInt(whole) * BigInt(LIMITING_PERCENT);
}

/** Managers without a comparable quarter before hold too much of what is held. */
function lacksComparison({ counted }: InstitutionalLeg): boolean {
  const baselines = counted.filter(({ action }) => action === 'baseline_only');
  return isLimiting(sharesHeld(baselines), sharesHeld(counted));
}

/** Too much of what moved is in doubt. */
function isMoveDoubted({ judged }: InstitutionalLeg): boolean {
  const changes = judged.filter(({ action }) => isChange(action));
  const doubted = changes.filter(({ quality }) => quality.reasons.some(limitsObservation));
  return isLimiting(sharesChanged(doubted), sharesChanged(changes));
}

function sharesHeld(observed: readonly JudgedObservation[]): bigint {
  return observed.reduce((sum, { observation }) => sum + observation.currentShares, 0n);
}

function sharesChanged(changes: readonly JudgedObservation[]): bigint {
  return changes.reduce((sum, { observation }) => sum + sharesMoved(observation), 0n);
}

function limitsObservation(reason: Reason): boolean {
  return REASONS[reason].effect !== 'clear' || MISSING_POSITIONS.has(reason);
}

/**
 * The rows behind evidence ids, in the order of the ids. A report that proves an absence was read whole
 * and has no row.
 */
export function rowsBehind(ids: readonly string[], read: Iterable<Read>): EvidenceRows[] {
  const found = new Map<string, number[]>(ids.map((id) => [id, []]));
  for (const { evidenceId, rows } of read) found.get(evidenceId)?.push(...rows);
  return [...found].map(([evidence_id, rows]) => ({ evidence_id, rows: ascending(rows) }));
}

/** What observations were read from. */
function* rowsRead(observed: Iterable<Observed>): Generator<Read> {
  for (const { rowsUsed } of observed) {
    for (const { accession, rows } of rowsUsed) {
      yield { evidenceId: evidenceIdOf13f(accession), rows: rowNumbers(rows) };
    }
  }
}

/** Each once. Most filings have one row. */
function ascending(rows: readonly number[]): readonly number[] {
  return rows.length < 2 ? rows : [...new Set(rows)].sort((a, b) => a - b);
}
