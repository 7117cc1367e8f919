import { type TestContext, test } from 'vitest';
import type { ScenarioId } from '../catalogue.ts';
import { type Random, randomOf } from './seed.ts';

/** What a scenario measured, as the report prints it. */
export type Figures = Readonly<Record<string, number | string>>;

declare module 'vitest' {
  interface TaskMeta {
    fault?: {
      readonly id: ScenarioId;
      readonly seed: number;
      readonly figures: Figures;
      /** The part of its full length that the run had, when that is less. */
      readonly part?: number;
    };
  }
}

export type Run = {
  readonly seed: number;
  readonly random: Random;
  /** The run of `npm run faults`; else the short one of `npm test`. */
  readonly isLong: boolean;
  /** How many of what the scenario is about: those of a short run, or all of them (`--part 0.1`: a tenth). */
  readonly count: (of: { readonly short: number; readonly long: number }) => number;
  /** Notes that a long run ended before its full length. */
  readonly ended: (made: number, wanted: number) => void;
  /** A time that is a criterion. In a short run it is only a bound: the machine is busy, so it is no place to measure. */
  readonly within: (ms: number) => number;
  /** Notes what was measured for the report. Later figures join the earlier ones. */
  readonly measured: (figures: Figures) => void;
};

type Options = {
  /** `long` keeps it out of `npm test`. */
  readonly tags?: readonly 'long'[];
  /** How many seeds a short and a long run take. */
  readonly seeds?: { readonly short: number; readonly long: number };
  readonly timeoutMs?: number;
};

export const IS_LONG = process.env['FAULTS_LONG'] === '1';
const ONLY = process.env['FAULTS_ONLY']?.split(',');
const SEED = process.env['SEED'];
const PART = Number(process.env['FAULTS_PART'] || 1);
const ONE = { short: 1, long: 1 };
const PATIENCE = IS_LONG ? 1 : 30;

/**
 * One scenario of the catalogue as a test for each seed. A short run takes the seeds from 1, so that it
 * is the same each time; a long run draws others. The title names the seed; `SEED=7` or `SEED=7-12` repeats it.
 */
export function scenario(
  id: ScenarioId,
  what: string,
  run: (run: Run) => Promise<void>,
  options: Options = {},
) {
  if (ONLY !== undefined && !ONLY.includes(id)) {
    // A file without a test fails.
    test.skip(`${id} ${what}`, () => undefined);
    return;
  }
  for (const seed of seedsOf(options.seeds ?? ONE)) {
    test(
      `${id} ${what}, seed ${seed}`,
      { timeout: options.timeoutMs ?? (IS_LONG ? 1_800_000 : 300_000), tags: [...(options.tags ?? [])] },
      (context) => measuredRun(id, seed, { context, run }),
    );
  }
}

/** A scenario that only a long run takes. */
export function longScenario(...args: Parameters<typeof scenario>): void {
  if (IS_LONG) scenario(...args);
  else test.skip(`${args[0]} ${args[1]}`, () => undefined);
}

function seedsOf({ short, long }: NonNullable<Options['seeds']>): number[] {
  const drawn = IS_LONG ? Math.floor(Date.now() / 1_000) % 1_000_000 : 1;
  const [first = drawn, last = first] = SEED?.split('-').map(Number) ?? [
    drawn,
    drawn + (IS_LONG ? long : short) - 1,
  ];
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

type Measured = { readonly context: TestContext; readonly run: (run: Run) => Promise<void> };

async function measuredRun(id: ScenarioId, seed: number, { context, run }: Measured): Promise<void> {
  let figures: Figures = {};
  let part = 1;
  const note = (): void => {
    context.task.meta.fault = { id, seed, figures, ...(part < 1 ? { part } : {}) };
  };
  const ended = (made: number, wanted: number): void => {
    if (IS_LONG) part = Math.min(part, made / wanted);
    note();
  };
  const count = ({ short, long }: { readonly short: number; readonly long: number }): number => {
    if (!IS_LONG) return short;
    ended(Math.ceil(long * PART), long);
    return Math.ceil(long * PART);
  };
  note();
  const measured = (more: Figures): void => {
    figures = { ...figures, ...more };
    note();
  };
  const within = (ms: number): number => ms * PATIENCE;
  await run({ seed, random: randomOf(seed), isLong: IS_LONG, count, ended, within, measured });
}
