export type Severity = 'info' | 'warning' | 'critical';

export type ReasonRule = {
  readonly leg: 'thirteen_f' | 'form4';
  readonly severity: Severity;
  /** What an observation with this reason becomes. `clear` reasons are only told. */
  readonly effect: 'clear' | 'uncertain' | 'excluded';
  readonly description: string;
};

/** Says each of a rule's four parts in one line. */
export const reasonRule = (
  leg: ReasonRule['leg'],
  severity: Severity,
  effect: ReasonRule['effect'],
  description: string,
): ReasonRule => ({ leg, severity, effect, description });
