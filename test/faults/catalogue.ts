import { AUTH } from './catalogue/auth.ts';
import { FAULTS } from './catalogue/faults.ts';
import { INPUT } from './catalogue/input.ts';
import { LIMITS } from './catalogue/limits.ts';
import { LOAD } from './catalogue/load.ts';
import { PROTOCOL } from './catalogue/protocol.ts';

/** What a scenario does, what passes, and where it stands. */
export type Entry = {
  readonly what: string;
  readonly pass: string;
  /** Test files that hold it, from the root. Empty: there is none yet. */
  readonly files: readonly string[];
  /** What a pass here does not prove, and why. */
  readonly unproven?: string;
};

/** Every scenario by its id. `docs/faults.md` has a verdict of each, which a test holds. */
export const CATALOGUE = { ...FAULTS, ...LOAD, ...INPUT, ...AUTH, ...PROTOCOL, ...LIMITS } as const;

export type ScenarioId = keyof typeof CATALOGUE;

export const SCENARIO_IDS = Object.keys(CATALOGUE) as ScenarioId[];

export function entryOf(id: ScenarioId): Entry {
  return CATALOGUE[id];
}
