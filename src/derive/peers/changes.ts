import type { Binary } from 'mongodb';
import type { Cik, Cusip } from '../../domain/ids.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { pack, unpack } from '../../store/mongo/packed.ts';
import { eventToJson } from '../../store/peers/corporate-actions.ts';
import { type Verdicts, verdictToJson } from '../../store/peers/verdicts.ts';

/** What differs between two answers of one quarter, and has to be looked at again because of it. */
export type Changed = {
  /** Managers whose verdict differs. */
  readonly ciks: readonly Cik[];
  /** Securities of which an event differs, vote counts included; of a new CUSIP the old one too. */
  readonly cusips: readonly Cusip[];
  /** Those of which it differs in what it does to a comparison, by how far that reaches. */
  readonly moved: readonly (readonly [cusip: Cusip, reach: Reach])[];
};

/**
 * `suspects`: only changes that look like a split; `holders`: every change of the security. `joined`
 * and `left` are the new and the old CUSIP of a change: every holder too, and those who come late.
 */
const REACHES = ['suspects', 'holders', 'joined', 'left'] as const;
export type Reach = (typeof REACHES)[number];

export type Answers = { readonly events: readonly CorporateAction[]; readonly verdicts: Verdicts };

export const NO_CHANGE: Changed = { ciks: [], cusips: [], moved: [] };

export function changesBetween(before: Answers, after: Answers): Changed {
  const events = differing(eventTexts(before.events, contentOf), eventTexts(after.events, contentOf));
  const effects = differing(eventTexts(before.events, effectOf), eventTexts(after.events, effectOf));
  const touched = [...before.events, ...after.events];
  return {
    ciks: differing(verdictTexts(before.verdicts), verdictTexts(after.verdicts)) as Cik[],
    cusips: cusipsOf(touched.filter((event) => events.includes(keyOf(event)))),
    moved: reachesOf(touched.filter((event) => effects.includes(keyOf(event)))),
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

export const packChanged = (changed: Changed): Binary => pack(changed);
export const unpackChanged = (binary: Binary): Changed => unpack<Changed>(binary);

const keyOf = (event: CorporateAction): string =>
  `${event.cusip}|${event.kind}|${event.kind === 'cusip_change' ? event.from : ''}`;

const contentOf = (event: CorporateAction): string => JSON.stringify(eventToJson(event));

/** Vote counts are told, and change no comparison; the price beside a refutation does. */
function effectOf(event: CorporateAction): string {
  if (event.kind === 'refuted') return `${event.kind} ${event.pricePermille}`;
  if (!('factor' in event)) return event.kind;
  return `${event.kind} ${event.factor.numerator}/${event.factor.denominator}`;
}

function eventTexts(
  events: readonly CorporateAction[],
  textOf: (event: CorporateAction) => string,
): ReadonlyMap<string, string> {
  return new Map(events.map((event) => [keyOf(event), textOf(event)]));
}

function verdictTexts(verdicts: Verdicts): ReadonlyMap<string, string> {
  return new Map([...verdicts].map(([cik, verdict]) => [cik, JSON.stringify(verdictToJson(verdict))]));
}

function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key)).sort();
}

function cusipsOf(events: readonly CorporateAction[]): Cusip[] {
  const cusips = events.flatMap((event) =>
    event.kind === 'cusip_change' ? [event.cusip, event.from] : [event.cusip],
  );
  return [...new Set(cusips)].sort();
}

function reachesOf(events: readonly CorporateAction[]): [Cusip, Reach][] {
  return widest(
    events.flatMap((event): [Cusip, Reach][] => {
      if (event.kind !== 'cusip_change')
        return [[event.cusip, event.kind === 'refuted' ? 'suspects' : 'holders']];
      return [
        [event.cusip, 'joined'],
        [event.from, 'left'],
      ];
    }),
  );
}

function widest(reaches: readonly (readonly [Cusip, Reach])[]): [Cusip, Reach][] {
  const found = new Map<Cusip, Reach>();
  for (const [cusip, reach] of reaches) {
    const known = found.get(cusip);
    if (known === undefined || REACHES.indexOf(reach) > REACHES.indexOf(known)) found.set(cusip, reach);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}
