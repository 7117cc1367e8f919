import { restatedAmount } from '../change/restate.ts';
import { compare } from '../compare.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import type { CorporateAction, CusipChange, PeerVerdicts } from '../peers/verdict.ts';
import { mergeReasons } from '../quality/quality.ts';
import { ONE_FOR_ONE, type Restatement, type SplitFactor } from '../report/report.ts';
import type { ManagerObservation, Observed } from './observation.ts';

/** A CUSIP under which reports may hold a security. */
export type SecurityCusip = {
  readonly cusip: Cusip;
  /** Shares in the terms of the counted quarter, for each share reported. */
  readonly factor: SplitFactor;
  /** The splits and new CUSIPs that make the factor. */
  readonly corporateActions: readonly CorporateAction[];
};

/**
 * Every CUSIP that became this one, itself first, with the factor of its shares (rule 7.2). A report
 * that still names an old CUSIP after the change counts old shares. A split counts only after the
 * report, and nothing counts after the counted quarter, which is that of the reports or a later one.
 */
export function cusipsOf(
  cusip: Cusip,
  history: readonly PeerVerdicts[],
  { reported, counted }: Readonly<Record<'reported' | 'counted', QuarterEnd>>,
): SecurityCusip[] {
  let all: SecurityCusip[] = [{ cusip, factor: ONE_FOR_ONE, corporateActions: [] }];
  const latestFirst = history.toSorted((a, b) => compare(b.quarterEnd, a.quarterEnd));
  for (const { quarterEnd, corporateActions } of latestFirst) {
    const isCounted = quarterEnd <= counted;
    const known = new Set(all.map((one) => one.cusip));
    const formerOf = (one: SecurityCusip): SecurityCusip[] =>
      corporateActions.flatMap((action): SecurityCusip[] => {
        if (action.kind !== 'cusip_change' || action.cusip !== one.cusip || known.has(action.from)) return [];
        known.add(action.from);
        return [{ ...(isCounted ? restatedBy(one, action) : one), cusip: action.from }];
      });
    const former = all.flatMap(formerOf);
    // A chain may lie within one quarter: the loop also visits what it pushes.
    for (const one of former) former.push(...formerOf(one));
    const own = all.map((one) => {
      const split = corporateActions.find((action) => action.kind === 'split' && action.cusip === one.cusip);
      const isDue = isCounted && quarterEnd > reported && split?.kind === 'split';
      return isDue ? restatedBy(one, split) : one;
    });
    all = [...own, ...former];
  }
  return all;
}

/** Every CUSIP that is one security with one of these, earlier and later ones. These come first. */
export function linkedCusips(cusips: readonly Cusip[], changes: readonly CusipChange[]): Cusip[] {
  const linked = new Set(cusips);
  let known = -1;
  while (known !== linked.size) {
    known = linked.size;
    for (const change of changes) {
      if (linked.has(change.cusip) || linked.has(change.from)) linked.add(change.cusip).add(change.from);
    }
  }
  return [...linked];
}

function restatedBy(
  one: SecurityCusip,
  action: Extract<CorporateAction, { readonly factor: SplitFactor }>,
): SecurityCusip {
  return {
    ...one,
    factor: product(one.factor, action.factor),
    corporateActions: [...one.corporateActions, action],
  };
}

/** An observation under a former CUSIP, with its shares in the terms of the security. Values stay. */
export function inTermsOf<Own extends Observed>(observation: Own, former: SecurityCusip): Own {
  if (former.corporateActions.length === 0) return observation;
  const isRenamed = former.corporateActions.some(({ kind }) => kind === 'cusip_change');
  const isSplit = former.corporateActions.some(({ kind }) => kind === 'split');
  return {
    ...observation,
    currentShares: restatedAmount(observation.currentShares, former.factor, null),
    filedCurrentShares: observation.currentShares,
    previousShares: restatedAmount(observation.previousShares, former.factor, null),
    restated: restatement(observation, former, isRenamed),
    corporateActions: [...new Set([...former.corporateActions, ...observation.corporateActions])],
    reasons: mergeReasons(
      observation.reasons,
      isRenamed ? ['cusip_changed'] : [],
      isSplit ? ['split_adjusted'] : [],
    ),
  };
}

/** Also for a new position, because its current count is restated. */
function restatement(
  { restated, previousShares }: Observed,
  { cusip, factor }: SecurityCusip,
  isRenamed: boolean,
): Restatement {
  return {
    factor: product(restated?.factor ?? ONE_FOR_ONE, factor),
    fromCusip: restated?.fromCusip ?? (isRenamed ? cusip : null),
    filedPriorAmount: restated?.filedPriorAmount ?? previousShares,
  };
}

/** One manager's positions under several CUSIPs of a security as one position, dated by the newest. */
export function sumObservations(a: ManagerObservation, b: ManagerObservation): ManagerObservation {
  // What is not believed is never summed with what is, but doubts it (rule 2.10).
  if (a.isDoubted !== b.isDoubted) {
    return { ...(a.isDoubted ? b : a), reasons: mergeReasons(a.reasons, b.reasons) };
  }
  const newest = a.publishedAt.value >= b.publishedAt.value ? a : b;
  const restated = a.restated ?? b.restated;
  // They differ where only one of the two weighs against doubted values too (rule 2.10): so does the sum.
  const { reportAumCents } = a.reportAumCents > b.reportAumCents ? a : b;
  const filedPriorAmount =
    (a.restated?.filedPriorAmount ?? a.previousShares) + (b.restated?.filedPriorAmount ?? b.previousShares);
  return {
    ...newest,
    currentShares: a.currentShares + b.currentShares,
    previousShares: a.previousShares + b.previousShares,
    currentValueCents: a.currentValueCents + b.currentValueCents,
    previousValueCents: a.previousValueCents + b.previousValueCents,
    reportAumCents,
    ...filedTogether(a, b),
    rowsUsed: [...a.rowsUsed, ...b.rowsUsed],
    restated: restated === null ? null : { ...restated, filedPriorAmount },
    corporateActions: [...new Set([...a.corporateActions, ...b.corporateActions])],
    reasons: mergeReasons(a.reasons, b.reasons),
  };
}

/** Set where either one was restated. */
function filedTogether(
  a: ManagerObservation,
  b: ManagerObservation,
): Pick<ManagerObservation, 'filedCurrentShares'> {
  if (a.filedCurrentShares === undefined && b.filedCurrentShares === undefined) return {};
  const filedOf = (one: ManagerObservation) => one.filedCurrentShares ?? one.currentShares;
  return { filedCurrentShares: filedOf(a) + filedOf(b) };
}

/** Shares in later terms for each share in earlier ones, from the factors of a CUSIP into both. */
export function factorBetween(earlier: SplitFactor, later: SplitFactor): SplitFactor {
  return product(later, { numerator: earlier.denominator, denominator: earlier.numerator });
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
