import { z } from 'zod';
import { entryOf, type ScenarioId } from '../../test/faults/catalogue.ts';

/** What vitest says of a run, as far as the report needs it. */
const assertion = z.object({
  status: z.string(),
  title: z.string(),
  meta: z
    .object({
      fault: z
        .object({
          id: z.string(),
          seed: z.number(),
          figures: z.record(z.string(), z.union([z.number(), z.string()])),
          part: z.number().optional(),
        })
        .optional(),
    })
    .optional(),
});
export const vitestResults = z.object({
  testResults: z.array(z.object({ name: z.string(), assertionResults: z.array(assertion) })),
});

type Assertion = z.infer<typeof assertion>;
export type Results = z.infer<typeof vitestResults>['testResults'];

export type Row = {
  readonly id: ScenarioId;
  readonly verdict: string;
  readonly hasFailed: boolean;
  readonly seeds: readonly number[];
  /** Of the last seed; those of several tests together. */
  readonly figures: string;
};

/**
 * The row of a scenario: its own tests, and all tests of the files that hold it elsewhere. Nothing that was
 * skipped counts as passed, and what does not run here says why.
 */
export function rowOf(id: ScenarioId, results: Results): Row {
  const { files, unproven } = entryOf(id);
  const tests = results
    .filter(({ name }) => files.some((file) => name.endsWith(`/${file}`)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((test) => belongsTo(id, test));
  const own = tests.flatMap(({ meta }) => (meta?.fault === undefined ? [] : [meta.fault]));
  const merged: Record<string, number | string> = Object.assign({}, ...own.map((one) => one.figures));
  const figures = Object.entries(merged).map(([name, value]) => `${name} ${value}`);
  const hasFailed = tests.some(({ status }) => status === 'failed');
  return {
    id,
    hasFailed,
    verdict: `${verdictOf(tests, unproven, files.length === 0)}${partOf(own)}`,
    seeds: own.map(({ seed }) => seed),
    figures: figures.join(', '),
  };
}

/** The least of all its runs, as long as one was shorter than its criterion says. */
function partOf(own: readonly { readonly part?: number | undefined }[]): string {
  const part = Math.min(...own.map((one) => one.part ?? 1));
  return part < 1 ? `; ${Math.max(0.1, Math.round(part * 1_000) / 10)} % of its full length` : '';
}

/** A test without a scenario of its own belongs to each scenario that names its file. */
function belongsTo(id: ScenarioId, { meta, title }: Assertion): boolean {
  const own = meta?.fault?.id ?? /^([A-Z]\d\d) /.exec(title)?.[1];
  return own === undefined || own === id;
}

function verdictOf(tests: readonly Assertion[], unproven: string | undefined, isMissing: boolean): string {
  if (isMissing) return unproven === undefined ? 'no scenario yet' : `unproven: ${unproven}`;
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  if (count('failed') > 0) return `**failed** (${count('failed')} of ${tests.length} tests)`;
  if (count('passed') === 0) return 'not run';
  return unproven === undefined ? 'passed' : `passed ${unproven}`;
}

const HEAD = [
  '| | scenario | passes when | seeds | figures | verdict | run |',
  '|---|---|---|---|---|---|---|',
];

export type ReportRun = {
  /** Date and length. */
  readonly day: string;
  readonly machine: string;
};

/** The report of a run as a page of Markdown. */
export function reportPage(rows: readonly Row[], { day, machine }: ReportRun): string {
  const lines = rows.map((row) => lineOf(row, day));
  return `# Faults\n\nMachine: ${machine}.\n\n${[...HEAD, ...lines].join('\n')}\n`;
}

function lineOf({ id, seeds, figures, verdict }: Row, run: string): string {
  const { what, pass } = entryOf(id);
  return `| ${[id, what, pass, seedsText(seeds), figures, verdict, run].join(' | ')} |`;
}

/** Seeds follow one another. */
function seedsText(seeds: readonly number[]): string {
  const first = Math.min(...seeds);
  const last = Math.max(...seeds);
  if (seeds.length === 0) return '';
  return first === last ? String(first) : `${first} to ${last}`;
}
