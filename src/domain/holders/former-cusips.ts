import { restatedAmount } from '../change/restate.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { CorporateAction, CusipChange } from '../peers/verdict.ts';
import type { Reason } from '../quality/quality.ts';
import type { Restatement } from '../report/report.ts';
import { ONE_FOR_ONE, type SplitFactor } from '../report/split-factor.ts';
import type { ManagerObservation } from './observation.ts';

/** What the filers of one quarter said together. */
export type QuarterHistory = {
  readonly quarterEnd: QuarterEnd;
  readonly corporateActions: readonly CorporateAction[];
};

/** A CUSIP under which reports of a quarter may hold a security. */
export type SecurityCusip = {
  readonly cusip: Cusip;
  /** Shares in the terms asked for, for each one reported. */
  readonly factor: SplitFactor;
  /** The splits and new CUSIPs that make the factor. */
  readonly corporateActions: readonly CorporateAction[];
};

export type Terms = {
  /** The quarter of the reports. */
  readonly reported: QuarterEnd;
  /** The quarter in whose shares they are to be counted, the same or a later one. */
  readonly counted: QuarterEnd;
};

/**
 * Every CUSIP that became this one, itself first, with what a share reported under it counts (rule
 * 7.2). A report that still names an old CUSIP after the change has not gone over: its shares are old
 * ones. Splits count after the report alone, and nothing counts that came after the terms.
 */
export function cusipsOf(
  cusip: Cusip,
  history: readonly QuarterHistory[],
  { reported, counted }: Terms,
): SecurityCusip[] {
  let names: SecurityCusip[] = [{ cusip, factor: ONE_FOR_ONE, corporateActions: [] }];
  for (const { quarterEnd, corporateActions } of latestFirst(history)) {
    const isCounted = quarterEnd <= counted;
    const known = new Set(names.map((name) => name.cusip));
    const before = (name: SecurityCusip): SecurityCusip[] =>
      corporateActions.flatMap((action): SecurityCusip[] => {
        if (action.kind !== 'cusip_change' || action.cusip !== name.cusip || known.has(action.from))
          return [];
        known.add(action.from);
        return [
          isCounted ? { ...applied(name, action), cusip: action.from } : { ...name, cusip: action.from },
        ];
      });
    const former = names.flatMap(before);
    // A chain may lie within one quarter: what is pushed is visited too.
    for (const name of former) former.push(...before(name));
    const own = names.map((name) => {
      const split = corporateActions.find((action) => action.kind === 'split' && action.cusip === name.cusip);
      const isDue = isCounted && quarterEnd > reported && split?.kind === 'split';
      return isDue ? applied(name, split) : name;
    });
    names = [...own, ...former];
  }
  return names;
}

/** Every CUSIP that is one security with one of these, earlier and later ones, and these first. */
export function linkedCusips(cusips: readonly Cusip[], changes: readonly CusipChange[]): Cusip[] {
  const names = new Set(cusips);
  let known = -1;
  while (known !== names.size) {
    known = names.size;
    for (const change of changes) {
      if (names.has(change.cusip) || names.has(change.from)) names.add(change.cusip).add(change.from);
    }
  }
  return [...names];
}

function latestFirst(history: readonly QuarterHistory[]): readonly QuarterHistory[] {
  return history.toSorted((a, b) => (a.quarterEnd > b.quarterEnd ? -1 : Number(a.quarterEnd < b.quarterEnd)));
}

function applied(
  name: SecurityCusip,
  action: Extract<CorporateAction, { readonly factor: SplitFactor }>,
): SecurityCusip {
  return {
    ...name,
    factor: product(name.factor, action.factor),
    corporateActions: [...name.corporateActions, action],
  };
}

/** An observation under a name, in the terms of that name; its values are what they were. */
export function inTermsOf(observation: ManagerObservation, name: SecurityCusip): ManagerObservation {
  if (name.corporateActions.length === 0) return observation;
  const isRenamed = name.corporateActions.some(({ kind }) => kind === 'cusip_change');
  const isSplit = name.corporateActions.some(({ kind }) => kind === 'split');
  const reasons: Reason[] = [
    ...observation.reasons,
    ...(isRenamed ? (['cusip_changed'] as const) : []),
    ...(isSplit ? (['split_adjusted'] as const) : []),
  ];
  return {
    ...observation,
    currentShares: restatedAmount(observation.currentShares, name.factor, null),
    filedCurrentShares: observation.currentShares,
    previousShares: restatedAmount(observation.previousShares, name.factor, null),
    restated: restatement(observation, name, isRenamed),
    corporateActions: [...new Set([...name.corporateActions, ...observation.corporateActions])],
    reasons: [...new Set(reasons)].sort(),
  };
}

function restatement(
  { restated, previousShares }: ManagerObservation,
  { cusip, factor }: SecurityCusip,
  isRenamed: boolean,
): Restatement {
  // Told of a position that is new, too: its count of now is in these terms.
  return {
    factor: product(restated?.factor ?? ONE_FOR_ONE, factor),
    fromCusip: restated?.fromCusip ?? (isRenamed ? cusip : null),
    filedPriorAmount: restated?.filedPriorAmount ?? previousShares,
  };
}

/** One manager's positions under several CUSIPs of a security are one position, dated by the newest. */
export function sumObservations(a: ManagerObservation, b: ManagerObservation): ManagerObservation {
  const newest = a.publishedAt.value >= b.publishedAt.value ? a : b;
  const restated = a.restated ?? b.restated;
  const filedPriorAmount =
    (a.restated?.filedPriorAmount ?? a.previousShares) + (b.restated?.filedPriorAmount ?? b.previousShares);
  return {
    ...newest,
    currentShares: a.currentShares + b.currentShares,
    previousShares: a.previousShares + b.previousShares,
    currentValueCents: a.currentValueCents + b.currentValueCents,
    previousValueCents: a.previousValueCents + b.previousValueCents,
    ...filedTogether(a, b),
    rowsUsed: [...a.rowsUsed, ...b.rowsUsed],
    restated: restated === null ? null : { ...restated, filedPriorAmount },
    corporateActions: [...new Set([...a.corporateActions, ...b.corporateActions])],
    reasons: [...new Set([...a.reasons, ...b.reasons])].sort(),
  };
}

/** Where either was counted in other terms. */
function filedTogether(
  a: ManagerObservation,
  b: ManagerObservation,
): Pick<ManagerObservation, 'filedCurrentShares'> {
  if (a.filedCurrentShares === undefined && b.filedCurrentShares === undefined) return {};
  const filedOf = (one: ManagerObservation) => one.filedCurrentShares ?? one.currentShares;
  return { filedCurrentShares: filedOf(a) + filedOf(b) };
}

function product(a: SplitFactor, b: SplitFactor): SplitFactor {
  const numerator = a.numerator * b.numerator;
  const denominator = a.denominator * b.denominator;
  const divisor = commonDivisor(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
