/**
 * What it costs to build a brief and to compare two reports, over the least that anyone would have to do:
 * for a brief, writing its own bytes as JSON and hashing them; for a comparison, a map from security to
 * BigInt. The walk over two sorted lists that a comparison makes gives what the map gives; the whole comparison
 * also judges each change. In one run, in turns, by CPU time. `npm run bench:build [-- rounds]`.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpus } from 'node:os';
import { checkDigit } from '../scripts/sandbox/market.ts';
import { corpus } from '../src/domain/brief/brief.sample.ts';
import { buildBrief } from '../src/domain/brief/brief.ts';
import { holderFacts } from '../src/domain/brief/holder-facts.ts';
import { diffReports, mergeByKey } from '../src/domain/change/diff.ts';
import { BEFORE, NOW, sampleReport } from '../src/domain/change/report.sample.ts';
import { sampleRow } from '../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../src/domain/filing/filing.ts';
import type { Cusip } from '../src/domain/ids.ts';
import { compareKeys } from '../src/domain/report/aggregate.ts';
import type { Position, PositionKey } from '../src/domain/report/report.ts';
import { report } from './goals.ts';
import { chanceOf } from './market/chance.ts';
import { median } from './median.ts';
import { wideInput, wideObservations } from './scale/wide-brief.ts';

type Delta = PositionKey & { readonly delta: bigint };
type Work = { readonly name: string; readonly run: () => unknown };

/** Short, so that what else a machine does falls on all alike. */
const SLICE_MICROS = 20_000;
/** A process that builds briefs runs for days: V8 has compiled what it repeats. */
const WARM_UP_MICROS = 1_500_000;
const HOLDERS = [20, 6_000] as const;
const POSITIONS = 10_000;

function main(rounds: number): void {
  console.log(`Node ${process.version}, ${cpus()[0]?.model.trim()}, ${rounds} rounds`);
  const results = HOLDERS.flatMap((holders) => {
    const measured = measure(briefWorks(holders), rounds);
    print(`brief of ${holders} holders`, measured);
    const [known = Number.NaN, read = Number.NaN] = ratios(measured);
    const what = `brief of ${holders} holders, CPU`;
    return [
      { what: `${what}, holders known`, value: known, atMost: holders < 100 ? 10 : 100 },
      { what: `${what}, holders read`, value: read },
    ];
  });
  const compared = measure(diffWorks(), rounds);
  print(`two reports of ${POSITIONS} positions`, compared);
  const [walk = Number.NaN, comparison = Number.NaN] = ratios(compared);
  const what = `of ${POSITIONS} positions, times as fast as a map of BigInt`;
  report('build', [
    ...results,
    { what: `differences ${what}, same output`, value: 1 / walk, atLeast: 4 },
    { what: `changes ${what} that finds the differences alone`, value: 1 / comparison },
  ]);
}

/** The first of each list is what the others are compared with. */
function briefWorks(holders: number): Work[] {
  const input = wideInput(holders);
  const observations = wideObservations(holders);
  const brief = buildBrief(input);
  const latest = corpus().latestReportedQuarterEnd;
  const facts = () => holderFacts({ latest, observations, options: [], late: [], unread: [] }).facts;
  return [
    {
      name: 'stringify and SHA-256',
      run: () => createHash('sha256').update(JSON.stringify(brief)).digest('hex'),
    },
    { name: 'brief from what is known of its holders', run: () => buildBrief(input) },
    { name: 'brief from its holders', run: () => buildBrief({ ...input, holders: facts() }) },
  ];
}

/** Two quarters of one manager: a tenth of the positions is new, half of the others changed. */
function diffWorks(): Work[] {
  const chance = chanceOf('two reports', POSITIONS);
  const before = Array.from({ length: POSITIONS }, (_, at) => rowAt(at, BigInt(chance.below(1_000_000) + 1)));
  const now = before.map((row, at) => {
    if (chance.is(0.1)) return rowAt(at + POSITIONS, row.amount);
    return chance.is(0.5) ? { ...row, amount: row.amount + BigInt(chance.below(1_000) + 1) } : row;
  });
  const [current, prior] = [sampleReport(NOW, { rows: now }), sampleReport(BEFORE, { rows: before })];
  assert.deepEqual(
    walkDiff(current.positions, prior.positions),
    mapDiff(current.positions, prior.positions).sort(compareKeys),
  );
  return [
    { name: 'map of BigInt: differences', run: () => mapDiff(current.positions, prior.positions) },
    { name: 'walk over both lists: differences', run: () => walkDiff(current.positions, prior.positions) },
    { name: 'comparison: changes with reasons and evidence', run: () => diffReports(current, prior) },
  ];
}

function rowAt(at: number, amount: bigint): InfoTableRow {
  const base = String(at).padStart(8, '0');
  const cusip = `${base}${checkDigit(base)}` as Cusip;
  return sampleRow({ row: at + 1, cusip, cusipAsFiled: cusip, amount, value: amount * 20n });
}

/** Exact, and nothing but the numbers: no percentages, no reasons, no evidence. */
function mapDiff(current: readonly Position[], prior: readonly Position[]): Delta[] {
  const before = new Map(prior.map((position) => [keyOf(position), position]));
  const deltas: Delta[] = [];
  for (const position of current) {
    const key = keyOf(position);
    const held = before.get(key)?.amount ?? 0n;
    before.delete(key);
    deltas.push(deltaOf(position, position.amount - held));
  }
  for (const position of before.values()) deltas.push(deltaOf(position, -position.amount));
  return deltas;
}

/** The same by the walk of every comparison. */
function walkDiff(current: readonly Position[], prior: readonly Position[]): Delta[] {
  return mergeByKey(current, prior, {
    entered: (now) => deltaOf(now, now.amount),
    left: (before) => deltaOf(before, -before.amount),
    stayed: (now, before) => deltaOf(now, now.amount - before.amount),
  });
}

function deltaOf({ cusip, putCall, amountType }: PositionKey, delta: bigint): Delta {
  return { cusip, putCall, amountType, delta };
}

function keyOf({ cusip, putCall, amountType }: PositionKey): string {
  return `${cusip}|${putCall ?? ''}|${amountType}`;
}

function measure(works: readonly Work[], rounds: number): Map<string, number> {
  const micros = new Map<string, number[]>(works.map(({ name }) => [name, []]));
  for (const { run } of works) timed(run, WARM_UP_MICROS);
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of works) micros.get(name)?.push(timed(run, SLICE_MICROS));
  }
  return new Map([...micros].map(([name, all]) => [name, median(all)]));
}

/** Microseconds of CPU of all threads for one run. */
function timed(run: () => unknown, slice: number): number {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    run();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= slice) return (user + system) / runs;
  }
}

/** Each but the first, over the first. */
function ratios(micros: ReadonlyMap<string, number>): number[] {
  const [least = Number.NaN, ...others] = micros.values();
  return others.map((time) => time / least);
}

function print(title: string, micros: ReadonlyMap<string, number>): void {
  console.log(`\n${title}`);
  console.table([...micros].map(([name, time]) => ({ what: name, 'CPU µs': Math.round(time) })));
}

main(Number(process.argv[2] ?? 51));
