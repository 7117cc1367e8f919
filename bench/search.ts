/**
 * `/search` through a started API process, authenticated and charged: latency of concurrent clients
 * over an index of 10,000 funds, their managers and 20,000 securities. The kinds of query take turns
 * in short slices of one run, so that a busy machine slows all alike; `nothing found` is what a call
 * costs without a search. `npm run bench:search [-- rounds]`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import { Pool } from 'undici';
import { compareEntries } from '../src/domain/search/entry.ts';
import { publishPart } from '../src/store/publish/search-index.ts';
import { withBenchCustomer } from './customer.ts';
import { report } from './goals.ts';
import { chance, type SeededIndex, seedIndex } from './search-names.ts';

const CLIENTS = 8;
const SLICE_MS = 2_000;

type Kind = { readonly name: string; readonly next: () => string; readonly isChanging?: boolean };
type Target = { readonly pool: Pool; readonly key: string; readonly child: ChildProcess };
type Row = { readonly times: number[]; busyMs: number; mongo: number };

async function main(rounds: number): Promise<void> {
  await withBenchCustomer(async ({ db, key, env }) => {
    const index = seedIndex();
    for (const part of index.parts.keys()) await publish(db, index, part, 1);
    const server = fileURLToPath(new URL('brief-server.ts', import.meta.url));
    const child = fork(server, ['tidemark'], {
      execArgv: ['--import', import.meta.resolve('../src/typescript.mjs')],
      env: { ...env, SHED_LOOP_DELAY_MS: '0' },
    });
    try {
      const [port] = (await once(child, 'message')) as [number];
      const target = { pool: new Pool(`http://127.0.0.1:${port}`, { connections: CLIENTS }), key, child };
      const cold = await timed(target, 'apple');
      console.log(
        `${index.entries.length} entries; the first search, which reads the index: ${cold.toFixed(0)} ms`,
      );
      print(await measure(target, { index, db, rounds }));
      await target.pool.close();
    } finally {
      child.kill('SIGTERM');
    }
  });
}

async function publish(db: Db, { parts }: SeededIndex, part: string, version: number): Promise<void> {
  const entries = (parts.get(part) ?? []).toSorted(compareEntries);
  // The first entry weighs otherwise in every revision, so that the part has another version.
  const changed = entries.map((entry, at) =>
    at === 0 ? { ...entry, weight: 9_000 + (version % 900) } : entry,
  );
  await publishPart(db, part, { shown: { entries: changed, tickers: [] }, version, at: '' });
}

function kindsOf({ entries, words }: SeededIndex): Kind[] {
  const roll = chance(2);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
  const wordsIn = (): string[] => pick(entries).name.toLowerCase().split(' ');
  const securities = entries.flatMap((entry) => (entry.type === 'holding' ? [entry] : []));
  const identifiers = securities.flatMap(({ ticker, cusip }) => [
    ...(ticker === null ? [] : [ticker]),
    cusip,
  ]);
  const long = words.filter((word) => word.length >= 6);
  const kinds: Kind[] = [
    { name: 'nothing found', next: () => `zq${roll(1_000)}xq` },
    { name: 'exact ticker or CUSIP', next: () => pick(identifiers) },
    { name: 'prefix, 2 letters', next: () => pick(words).slice(0, 2) },
    { name: 'prefix of a name', next: () => wordsIn().slice(0, 2).join(' ').slice(0, 9) },
    { name: 'every word, any order', next: () => wordsIn().slice(0, 2).reverse().join(' ') },
    { name: 'one typing error', next: () => misspelt(pick(long), roll) },
    { name: 'two misspelt words', next: () => `${misspelt(pick(long), roll)} ${misspelt(pick(long), roll)}` },
  ];
  const mixed = { name: 'all of these in turn', next: () => pick(kinds.slice(1)).next() };
  return [...kinds, mixed, { ...mixed, name: 'the same, a part changed each second', isChanging: true }];
}

/** Two neighbours swapped behind the first letter. */
function misspelt(word: string, roll: (below: number) => number): string {
  const at = 1 + roll(word.length - 2);
  return `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
}

type Run = { readonly index: SeededIndex; readonly db: Db; readonly rounds: number };

async function measure(target: Target, { index, db, rounds }: Run): Promise<Map<string, Row>> {
  const kinds = kindsOf(index);
  const rows = new Map(kinds.map(({ name }) => [name, { times: [], busyMs: 0, mongo: 0 } as Row]));
  const parts = [...index.parts.keys()];
  let version = 1;
  for (let round = -1; round < rounds; round += 1) {
    for (const kind of kinds) {
      const change = (): Promise<void> => publish(db, index, parts[++version % parts.length] ?? '', version);
      const row = await slice(target, kind, change);
      // The first round warms up.
      if (round >= 0) add(rows.get(kind.name), row);
    }
  }
  return rows;
}

function add(sum: Row | undefined, { times, busyMs, mongo }: Row): void {
  if (sum === undefined) return;
  for (const time of times) sum.times.push(time);
  sum.busyMs += busyMs;
  sum.mongo += mongo;
}

async function slice(target: Target, { next, isChanging }: Kind, change: () => Promise<void>): Promise<Row> {
  const timer = isChanging === true ? setInterval(() => void change(), 1_000) : undefined;
  const before = await usageOf(target.child);
  const end = performance.now() + SLICE_MS;
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < end) times.push(await timed(target, next()));
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const after = await usageOf(target.child);
  clearInterval(timer);
  return {
    times,
    busyMs: (after.cpuMicros - before.cpuMicros) / 1_000,
    mongo: after.mongoCommands - before.mongoCommands,
  };
}

async function timed({ pool, key }: Target, text: string): Promise<number> {
  const started = performance.now();
  const path = `/v1/search?q=${encodeURIComponent(text)}`;
  const answer = await pool.request({ method: 'GET', path, headers: { authorization: `Bearer ${key}` } });
  const body = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} is ${answer.statusCode}: ${body}`);
  return performance.now() - started;
}

async function usageOf(child: ChildProcess): Promise<{ cpuMicros: number; mongoCommands: number }> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [{ cpuMicros: number; mongoCommands: number }];
  return usage;
}

function print(rows: ReadonlyMap<string, Row>): void {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${CLIENTS} clients`);
  const lines = [...rows].map(([query, { times, busyMs, mongo }]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1));
    return {
      query,
      calls: sorted.length,
      'p50 ms': at(0.5),
      'p99 ms': at(0.99),
      'CPU ms a call': Number((busyMs / sorted.length).toFixed(2)),
      'Mongo commands a call': Number((mongo / sorted.length).toFixed(3)),
    };
  });
  console.table(lines);
  const [floor, ...others] = lines;
  report(
    'search',
    others.map((line) => ({
      what: `${line.query}: p99`,
      value: line['p99 ms'] / (floor?.['p99 ms'] ?? Number.NaN),
      atMost: 3,
    })),
  );
}

await main(Number(process.argv[2] ?? 3));
