import { THIRTEEN_F_REASONS } from './reasons-13f.ts';
import { FORM4_REASONS } from './reasons-form4.ts';

export type QualityStatus = 'clear' | 'uncertain' | 'excluded';

export type Severity = 'info' | 'warning' | 'critical';

export type ReasonRule = {
  readonly leg: 'thirteen_f' | 'form4';
  readonly severity: Severity;
  /** The status of an observation with this reason. `clear` reasons are only shown. */
  readonly effect: QualityStatus;
};

export type Reason = keyof typeof THIRTEEN_F_REASONS | keyof typeof FORM4_REASONS;

/**
 * The closed list of quality reasons. Filings, rows and observations carry no others, and the brief
 * groups its artifacts by them.
 */
export const REASONS: Readonly<Record<Reason, ReasonRule>> = {
  ...ofLeg('thirteen_f', THIRTEEN_F_REASONS),
  ...ofLeg('form4', FORM4_REASONS),
};

function ofLeg<K extends Reason>(
  leg: ReasonRule['leg'],
  rules: Readonly<Record<K, Omit<ReasonRule, 'leg'>>>,
): Record<K, ReasonRule> {
  const named = Object.entries<Omit<ReasonRule, 'leg'>>(rules).map(([reason, rule]) => [
    reason,
    { leg, ...rule },
  ]);
  return Object.fromEntries(named) as Record<K, ReasonRule>;
}

export type Quality = { readonly status: QualityStatus; readonly reasons: readonly Reason[] };

const ORDER: Record<QualityStatus, number> = { clear: 0, uncertain: 1, excluded: 2 };

/** Unique and sorted, so equal inputs give equal bytes. */
export function mergeReasons(...lists: readonly (readonly Reason[])[]): readonly Reason[] {
  return [...new Set(lists.flat())].sort();
}

/** The strongest effect decides the status. */
export function qualityOf(reasons: readonly Reason[]): Quality {
  const unique = mergeReasons(reasons);
  const status = unique
    .map((reason): QualityStatus => REASONS[reason].effect)
    .reduce((worst, next) => (ORDER[next] > ORDER[worst] ? next : worst), 'clear' as QualityStatus);
  return { status, reasons: unique };
}

/** Doubts about values only. Changes are judged by shares, so these do not make a change uncertain. */
const VALUE_DOUBTS: ReadonlySet<Reason> = new Set(['value_unit_unverified']);

/** Whether the reason makes it uncertain how many shares were held or moved. */
export function doubtsShares(reason: Reason): boolean {
  return REASONS[reason].effect === 'uncertain' && !VALUE_DOUBTS.has(reason);
}

/** The quality of a change of shares: a doubt about its value is listed and leaves it clear. */
export function changeQualityOf(reasons: readonly Reason[]): Quality {
  const { status } = qualityOf(reasons.filter((reason) => !VALUE_DOUBTS.has(reason)));
  return { status, reasons: qualityOf(reasons).reasons };
}

/** Reasons of single rows that the report lists too. */
const ROW_REASONS: ReadonlySet<Reason> = new Set([
  'cusip_malformed',
  'cusip_checksum_failed',
  'amount_negative',
  'amount_implausible',
  'amount_fractional',
]);

export function isRowReason(reason: Reason): boolean {
  return ROW_REASONS.has(reason);
}

/** The quality of a whole report: an excluded row makes it uncertain, never excluded. */
export function reportQualityOf(reasons: readonly Reason[]): Quality {
  const own = qualityOf(reasons.filter((reason) => !ROW_REASONS.has(reason)));
  const all = qualityOf(reasons);
  const status = own.status === 'clear' && all.status !== 'clear' ? 'uncertain' : own.status;
  return { status, reasons: all.reasons };
}
