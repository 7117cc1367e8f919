import { groupBy } from '../group.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { roundHalfEvenDiv } from '../money.ts';
import type { CorporateAction, CusipChange } from '../peers/verdict.ts';
import { isAboutShares, mergeReasons } from '../quality/quality.ts';
import { previousQuarterEnd, quarterAfter, quartersThrough } from '../quarter.ts';
import { compareKeys, keyText } from '../report/aggregate.ts';
import type { Position, Restatement, SplitFactor } from '../report/report.ts';
import { QUARTERS_IN_FORCE } from './thresholds.ts';

/** A quarter's corporate actions, as comparisons ask for them. */
export type CorporateActionsByCusip = ReturnType<typeof corporateActionsByCusip>;

export function corporateActionsByCusip(corporateActions: readonly CorporateAction[]) {
  const byCusip = groupBy(corporateActions, ({ cusip }) => cusip);
  const changes = corporateActions.filter((action) => action.kind === 'cusip_change');
  const splits = corporateActions.flatMap((action) => (action.kind === 'split' ? [action] : []));
  return {
    splits: new Map(splits.map((split) => [split.cusip, split])),
    changes,
    /** By the old CUSIP. */
    moves: new Map(changes.map((change) => [change.from, change])),
    doubted: corporateActions.filter((action) => action.kind === 'cusip_change_suspected'),
    mergers: corporateActions.filter((action) => action.kind === 'stock_merger'),
    has: (cusip: Cusip, kind: CorporateAction['kind']): boolean =>
      byCusip.get(cusip)?.some((action) => action.kind === kind) === true,
  };
}

/** A position of the prior report, made comparable with the current one. */
export type PriorPosition = Position & { readonly restated?: Restatement };

/**
 * The prior positions in the current report's terms (rule 5.3), in key order, like both inputs. Options
 * count underlying shares, so they are restated too; principal is not.
 * @param earlier CUSIP changes of earlier quarters, for a manager that reports the new CUSIP late
 */
export function restatePrior(
  prior: readonly Position[],
  current: readonly Position[],
  { splits, moves }: Pick<CorporateActionsByCusip, 'splits' | 'moves'>,
  earlier: readonly CusipChange[] = [],
): readonly PriorPosition[] {
  const late = lateMoves(earlier, moves);
  if (splits.size + moves.size + late.size === 0) return prior;
  const targets = new Set([...moves.values(), ...late.values()].map(({ cusip }) => cusip));
  const concerned = current.filter(
    ({ cusip }) => splits.has(cusip) || moves.has(cusip) || late.has(cusip) || targets.has(cusip),
  );
  const doubted = concerned.filter(isDoubtedRow).map(keyText);
  const held = new Map(concerned.map((position) => [keyText(position), position.amount]));
  // What is not believed under the old CUSIP gives way to what is under the new one.
  for (const position of concerned.filter(isDoubtedRow)) {
    const { cusip = position.cusip } = moves.get(position.cusip) ?? late.get(position.cusip) ?? {};
    const after = keyText({ ...position, cusip });
    if (held.has(after) && !doubted.includes(after)) held.delete(keyText(position));
  }
  let isMoved = false;
  const restated = prior.map((position): PriorPosition => {
    if (position.amountType !== 'SH') return position;
    const move = moveOf(position, { moves, late, held });
    const split = splits.get(move?.cusip ?? position.cusip);
    if (move !== null) {
      isMoved = true;
      const isLate = !moves.has(move.from);
      const factor = isLate && split !== undefined ? product(move.factor, split.factor) : move.factor;
      return restate({ ...position, cusip: move.cusip }, { held, factor, from: move.from });
    }
    return split === undefined ? position : restate(position, { held, factor: split.factor, from: null });
  });
  const left = restated.filter((position) => !isCashedOut(position));
  return isMoved ? merged(left.toSorted(compareKeys)) : left;
}

/** Whether the position is of a filing that is not believed (rule 2.10). */
function isDoubtedRow({ doubtedCents, reasons }: Position): boolean {
  return doubtedCents !== undefined && reasons.some(isAboutShares);
}

/** A reverse split left no share: the fraction was paid in cash, so there is nothing to compare. */
function isCashedOut({ amount, restated }: PriorPosition): boolean {
  return amount === 0n && restated !== undefined && restated.filedPriorAmount > 0n;
}

type Moves = ReadonlyMap<Cusip, CusipChange>;

/** The newest earlier change of each old CUSIP that has no change in this quarter. */
function lateMoves(earlier: readonly CusipChange[], moves: Moves): Moves {
  const late = new Map<Cusip, CusipChange>();
  for (const change of earlier) {
    if (!moves.has(change.from) && !late.has(change.from)) late.set(change.from, change);
  }
  return late;
}

type CusipMoves = { readonly moves: Moves; readonly late: Moves; readonly held: ReadonlyMap<string, bigint> };

/**
 * The CUSIP change that moves the position. After the quarter of a change, an exit may be real, so the
 * manager must hold the new CUSIP.
 */
function moveOf(position: Position, { moves, late, held }: CusipMoves): CusipChange | null {
  if (held.has(keyText(position))) return null;
  const move = moves.get(position.cusip);
  if (move !== undefined) return move;
  const before = late.get(position.cusip);
  return before !== undefined && held.has(keyText({ ...position, cusip: before.cusip })) ? before : null;
}

function product(a: SplitFactor, b: SplitFactor): SplitFactor {
  return { numerator: a.numerator * b.numerator, denominator: a.denominator * b.denominator };
}

type Terms = {
  readonly held: ReadonlyMap<string, bigint>;
  readonly factor: SplitFactor;
  readonly from: Cusip | null;
};

function restate(position: Position, { held, factor, from }: Terms): PriorPosition {
  const now = held.get(keyText(position)) ?? null;
  return {
    ...position,
    amount: restatedAmount(position.amount, factor, now),
    restated: { factor, fromCusip: from, filedPriorAmount: position.amount },
  };
}

/**
 * The filed amount times the factor, half-even. A fraction of a share is settled in cash or rounded up,
 * so a holder of either adjacent whole number still has the same position.
 */
export function restatedAmount(
  filed: bigint,
  { numerator, denominator }: SplitFactor,
  now: bigint | null,
): bigint {
  const product = filed * numerator;
  const isWhole = product % denominator === 0n;
  const floor = product / denominator;
  if (!isWhole && filed > 0n && now !== null && (now === floor || now === floor + 1n)) return now;
  return roundHalfEvenDiv(product, denominator);
}

/** Adds up positions under the old and the new CUSIP of one security. */
function merged(sorted: readonly PriorPosition[]): PriorPosition[] {
  const result: PriorPosition[] = [];
  for (const position of sorted) {
    const last = result.at(-1);
    if (last === undefined || compareKeys(last, position) !== 0) result.push(position);
    else result[result.length - 1] = sum(last, position);
  }
  return result;
}

function sum(a: PriorPosition, b: PriorPosition): PriorPosition {
  const restated = a.restated ?? b.restated;
  const filedPriorAmount =
    (a.restated?.filedPriorAmount ?? a.amount) + (b.restated?.filedPriorAmount ?? b.amount);
  return {
    ...(a.valueCents >= b.valueCents ? a : b),
    amount: a.amount + b.amount,
    valueCents: a.valueCents + b.valueCents,
    filedValueCents: a.filedValueCents + b.filedValueCents,
    accessions: [...new Set([...a.accessions, ...b.accessions])],
    rowsUsed: [...a.rowsUsed, ...b.rowsUsed],
    reasons: mergeReasons(a.reasons, b.reasons),
    ...(restated === undefined ? {} : { restated: { ...restated, filedPriorAmount } }),
  };
}

/** The quarters whose changes of CUSIP are followed to read reports of this one, the latest first. */
export function quartersFollowed(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersThrough(quarterEnd, QUARTERS_IN_FORCE).reverse();
}

/** The earlier quarters whose changes of CUSIP still count in this one, the latest first. */
export function quartersInForce(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersFollowed(previousQuarterEnd(quarterEnd));
}

/** The later quarters in which a change of CUSIP in this one still counts, the earliest first. */
export function quartersAffected(quarterEnd: QuarterEnd): QuarterEnd[] {
  return quartersThrough(quarterAfter(quarterEnd, QUARTERS_IN_FORCE), QUARTERS_IN_FORCE);
}
