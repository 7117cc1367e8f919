import { appendFileSync } from 'node:fs';

/** A measured figure beside its goal; without a goal it is only told. */
export type Result = {
  readonly what: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly atMost?: number;
};

/** A result with the name of its benchmark. */
export type Reported = Result & { readonly bench: string };

/** How far a figure may be behind its goal: differences below that are noise. */
const NOISE = 0.15;

/** Prints the results as a table, and hands them to `npm run bench` where that runs the benchmark. */
export function report(bench: string, results: readonly Result[]): void {
  console.table(
    results.map((result) => ({
      what: result.what,
      value: round(result.value),
      goal: goalText(result),
      verdict: verdictOf(result),
    })),
  );
  const file = process.env['BENCH_RESULTS'];
  if (file === undefined) return;
  for (const result of results) appendFileSync(file, `${JSON.stringify({ bench, ...result })}\n`);
}

/** `missed` by more than noise; `near` within it. */
export function verdictOf({ value, atLeast, atMost }: Result): 'reached' | 'near' | 'missed' | '' {
  if (atLeast === undefined && atMost === undefined) return '';
  const behind = Math.max(
    atLeast === undefined ? 0 : 1 - value / atLeast,
    atMost === undefined || value <= atMost ? 0 : 1 - atMost / value,
  );
  if (Number.isNaN(value) || behind > NOISE) return 'missed';
  return behind > 0 ? 'near' : 'reached';
}

export function goalText({ atLeast, atMost }: Result): string {
  if (atLeast !== undefined) return `≥ ${atLeast}`;
  return atMost === undefined ? '' : `≤ ${atMost}`;
}

/** Three significant digits. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}
