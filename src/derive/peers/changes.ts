import { compare } from '../../domain/compare.ts';
import type { Cik, Cusip } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { encodeVerdicts, type Verdicts } from '../../store/peers/answers.ts';
import { CORPORATE_ACTION } from '../../store/peers/corporate-actions.ts';

/** What differs between two answers of one quarter: what follows from it has to be computed again. */
export type Changed = {
  /** Managers whose verdict differs. */
  readonly ciks: readonly Cik[];
  /** Securities with another corporate action, vote counts included; for a new CUSIP the old one too. */
  readonly cusips: readonly Cusip[];
  /** Securities whose corporate action changes comparisons in another way, by how far that reaches. */
  readonly moved: readonly (readonly [cusip: Cusip, reach: Reach])[];
};

/**
 * `holders`: every change of the security. `joined`
 * and `left`: the new and the old CUSIP of a change, which reach every holder and late ones too.
 */
const REACHES = ['holders', 'joined', 'left'] as const;
export type Reach = (typeof REACHES)[number];

export type Answers = { readonly corporateActions: readonly CorporateAction[]; readonly verdicts: Verdicts };

export const NO_CHANGE: Changed = { ciks: [], cusips: [], moved: [] };

export function changesBetween(before: Answers, after: Answers): Changed {
  const actions = [before.corporateActions, after.corporateActions] as const;
  const [contents, effects] = [
    differingActions(...actions, contentOf),
    differingActions(...actions, effectOf),
  ];
  const touched = actions.flat();
  const reachesIn = (keys: readonly string[]): [Cusip, Reach][] =>
    widest(touched.filter((action) => keys.includes(keyOf(action))).flatMap(reachesOf));
  return {
    ciks: differing(verdictTexts(before.verdicts), verdictTexts(after.verdicts)),
    cusips: reachesIn(contents).map(([cusip]) => cusip),
    moved: reachesIn(effects),
  };
}

export function joinChanges(a: Changed, b: Changed): Changed {
  return {
    ciks: [...new Set([...a.ciks, ...b.ciks])].sort(),
    cusips: [...new Set([...a.cusips, ...b.cusips])].sort(),
    moved: widest([...a.moved, ...b.moved]),
  };
}

export function isNothing({ ciks, cusips }: Changed): boolean {
  return ciks.length + cusips.length === 0;
}

const keyOf = (action: CorporateAction): string =>
  `${action.cusip}|${action.kind}|${'from' in action ? action.from : ''}`;

const contentOf = (action: CorporateAction): string => JSON.stringify(CORPORATE_ACTION.encode(action));

/** Vote counts and prices change no comparison. */
function effectOf(action: CorporateAction): string {
  if (!('factor' in action)) return action.kind;
  return `${action.kind} ${action.factor.numerator}/${action.factor.denominator}`;
}

function differingActions(
  before: readonly CorporateAction[],
  after: readonly CorporateAction[],
  textOf: (action: CorporateAction) => string,
): string[] {
  const texts = (actions: readonly CorporateAction[]) =>
    new Map(actions.map((action) => [keyOf(action), textOf(action)]));
  return differing(texts(before), texts(after));
}

function verdictTexts(verdicts: Verdicts): ReadonlyMap<Cik, string> {
  return new Map(encodeVerdicts(verdicts).map(([cik, json]) => [cik, JSON.stringify(json)]));
}

function differing<K extends string>(before: ReadonlyMap<K, string>, after: ReadonlyMap<K, string>): K[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort();
}

function reachesOf(action: CorporateAction): [Cusip, Reach][] {
  if (action.kind !== 'cusip_change' && action.kind !== 'cusip_change_suspected')
    return [[action.cusip, 'holders']];
  return [
    [action.cusip, 'joined'],
    [action.from, 'left'],
  ];
}

function widest(reaches: readonly (readonly [Cusip, Reach])[]): [Cusip, Reach][] {
  const found = new Map<Cusip, Reach>();
  for (const [cusip, reach] of reaches) {
    const known = found.get(cusip);
    if (known === undefined || REACHES.indexOf(reach) > REACHES.indexOf(known)) found.set(cusip, reach);
  }
  return [...found].sort(([a], [b]) => compare(a, b));
}
