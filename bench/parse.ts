/**
 * Compares our parsers with edgartools, lxml, and quick-xml in Rust where cargo can build it: rows a second of the largest real 13F and of its table
 * repeated to 100,000 rows, documents a second of 500 real Forms 4, and peak memory. One interleaved run
 * by CPU time, so that a busy machine affects all in the same way. Medians over the rounds.
 *
 *   npm run bench:parse [-- <submission.txt> [<folder of submissions>]]
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseFiling } from '../src/forms/index.ts';
import { type Result, report } from './goals.ts';
import { median } from './median.ts';
import { openQuickXml } from './quick-xml/peer.ts';

type Task = '13f' | '13f-100k' | 'form4';
type Sample = { readonly seconds: number; readonly count: number };
/** Paths. The second report is constructed: it repeats the rows of the first. */
type Inputs = { readonly '13f': string; readonly '13f-100k': string; readonly forms: readonly string[] };
type Library = {
  readonly name: string;
  readonly run: (task: Task) => Promise<Sample>;
  /** KiB of a fresh process that does the task once. */
  readonly peak: (task: Task) => number;
};

const ROUNDS = 5;
const FORMS = 500;
const MANY_ROWS = 100_000;
const TASKS: readonly (readonly [Task, string])[] = [
  ['13f', 'rows/s'],
  ['13f-100k', 'rows/s'],
  ['form4', 'docs/s'],
];
const root = fileURLToPath(new URL('..', import.meta.url));
const peersScript = fileURLToPath(new URL('parse-peers.py', import.meta.url));
const venv = join(root, '.tidemark', 'bench-venv');
const python = join(venv, 'bin', 'python');

const [first, second, third] = process.argv.slice(2);
if (first === '--peak') printOwnPeak(second as Task, inputsOf(third ?? ''));
else await compare(first, second);

async function compare(submission: string | undefined, folder: string | undefined): Promise<void> {
  preparePeers();
  const scratch = mkdtempSync(join(tmpdir(), 'bench-parse-'));
  const inputs = chosenInputs(scratch, submission, folder);
  const list = join(scratch, 'inputs.json');
  writeFileSync(list, JSON.stringify(inputs));
  const peers = startPeers(list);
  const rust = openQuickXml(inputs['13f-100k']);
  if (rust === null) console.log('cargo is not on PATH: without quick-xml');
  try {
    const own = { name: 'tidemark', run: ours(inputs), peak: ownPeak(list) };
    const others = ['lxml', 'edgartools'].map((name) => ({
      name,
      run: (task: Task) => peers.ask(name, task),
      peak: (task: Task) => peakOfPeer(name, task, list),
    }));
    const quickXml = rust === null ? [] : [{ name: 'quick-xml', run: rust.ask, peak: rust.peakKib }];
    const results: Result[] = [];
    for (const [task, unit] of TASKS) {
      const libraries = [own, ...(task === '13f-100k' ? quickXml : []), ...others];
      results.push(...resultsOf(task, await measure({ task, unit, libraries })));
    }
    report('parse', results);
  } finally {
    rust?.stop();
    peers.stop();
    rmSync(scratch, { recursive: true });
  }
}

type Measured = ReadonlyMap<string, { readonly rate: number; readonly peak: number }>;

function resultsOf(task: Task, measured: Measured): Result[] {
  const [own, slow, rust] = ['tidemark', 'edgartools', 'quick-xml'].map((name) => measured.get(name));
  if (own === undefined || slow === undefined) throw new Error('both are measured');
  const speed = own.rate / slow.rate;
  if (task === 'form4') return [{ what: 'Forms 4, times as fast as edgartools', value: speed, atLeast: 25 }];
  if (task === '13f') return [{ what: '13F of 7,561 rows, times as fast as edgartools', value: speed }];
  const ofRust = { what: '13F of 100,000 rows, times as fast as quick-xml', atLeast: 0.5 };
  return [
    { what: '13F of 100,000 rows, times as fast as edgartools', value: speed, atLeast: 15 },
    ...(rust === undefined ? [] : [{ ...ofRust, value: own.rate / rust.rate }]),
    { what: 'the same, peak memory over edgartools', value: own.peak / slow.peak, atMost: 0.2 },
  ];
}

/** Installs the compared libraries on first use. */
function preparePeers(): void {
  if (existsSync(join(venv, 'ready'))) return;
  console.log('installing edgartools and lxml into .tidemark/bench-venv (once) ...');
  execFileSync('python3', ['-m', 'venv', venv], { stdio: 'inherit' });
  const requirements = join(root, 'tools', 'second-opinion', 'requirements.txt');
  const pip = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '-r', requirements];
  execFileSync(python, pip, { stdio: 'inherit' });
  writeFileSync(join(venv, 'ready'), '');
}

function chosenInputs(scratch: string, report: string | undefined, folder: string | undefined): Inputs {
  const corpus = folder ?? join(root, 'demo', 'corpus', 'filings');
  const found = readdirSync(corpus)
    .map((name) => join(corpus, name))
    .filter((path) => path.endsWith('.txt') && isParsableForm4(path))
    .sort();
  if (found.length === 0) throw new Error(`no Form 4 submissions in ${corpus}`);
  const forms = Array.from({ length: FORMS }, (_, index) => found[index % found.length] ?? '');
  console.log(
    `${found.length} different Forms 4, repeated to ${FORMS}; ${cpus()[0]?.model}, Node ${process.version}`,
  );
  const large = report ?? join(root, 'demo', 'corpus', 'filings', '0000902219-19-000479.txt');
  return { '13f': large, '13f-100k': drawnOut(large, join(scratch, 'many-rows.txt')), forms };
}

function drawnOut(report: string, path: string): string {
  const text = readFileSync(report, 'latin1');
  const start = text.search(/<[\w:]*infoTable>/);
  const end = text.search(/<\/[\w:]*informationTable>/);
  const rows = text.slice(start, end);
  const times = Math.ceil(MANY_ROWS / rows.split('<cusip>').length);
  writeFileSync(path, text.slice(0, start) + rows.repeat(times) + text.slice(end), 'latin1');
  return path;
}

/** Broken filings are excluded, because the libraries differ in what they refuse. */
function isParsableForm4(path: string): boolean {
  const bytes = readFileSync(path);
  if (!/CONFORMED SUBMISSION TYPE:\t4(\/A)?\n/.test(bytes.toString('latin1', 0, 4096))) return false;
  try {
    return parseFiling(bytes).kind === 'ownership';
  } catch {
    return false;
  }
}

function inputsOf(list: string): Inputs {
  return JSON.parse(readFileSync(list, 'utf8')) as Inputs;
}

function ours(inputs: Inputs): Library['run'] {
  const reports = { '13f': readFileSync(inputs['13f']), '13f-100k': readFileSync(inputs['13f-100k']) };
  const forms = inputs.forms.map((path) => readFileSync(path));
  const pass = (task: Task): number =>
    task === 'form4' ? forms.map((bytes) => parseFiling(bytes)).length : rowsOf(reports[task]);
  return async (task) => timed(() => pass(task));
}

/** Repeats for half a second of CPU time over all threads, like the compared libraries. */
function timed(pass: () => number): Sample {
  const before = process.cpuUsage();
  let seconds = 0;
  let count = 0;
  let passes = 0;
  while (seconds < 0.5) {
    count = pass();
    passes += 1;
    const { user, system } = process.cpuUsage(before);
    seconds = (user + system) / 1e6;
  }
  return { seconds: seconds / passes, count };
}

function rowsOf(bytes: Uint8Array): number {
  const filing = parseFiling(bytes);
  return filing.kind === 'thirteen_f' ? filing.rows.length : 0;
}

function printOwnPeak(task: Task, inputs: Inputs): void {
  if (task === 'form4') inputs.forms.map((path) => parseFiling(readFileSync(path)));
  else rowsOf(readFileSync(inputs[task]));
  console.log(process.resourceUsage().maxRSS);
}

type Peers = {
  readonly ask: (library: string, task: Task) => Promise<Sample>;
  readonly stop: () => void;
};

function startPeers(list: string): Peers {
  const child = spawn(python, [peersScript, list], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    ask: async (library, task) => {
      child.stdin.write(`${library} ${task}\n`);
      const line = await lines.next();
      if (line.done) throw new Error('the peers stopped');
      return JSON.parse(line.value) as Sample;
    },
    stop: () => child.stdin.end(),
  };
}

type TaskRun = { readonly task: Task; readonly unit: string; readonly libraries: readonly Library[] };

async function measure({ task, unit, libraries }: TaskRun): Promise<Measured> {
  const rates = new Map<string, number[]>(libraries.map(({ name }) => [name, []]));
  const counts = new Set<number>();
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, run } of libraries) {
      const { seconds, count } = await run(task);
      counts.add(count);
      // Round 0 warms up: compilers, caches, imports.
      if (round > 0) rates.get(name)?.push(count / seconds);
    }
  }
  if (counts.size !== 1) throw new Error(`${task}: the libraries disagree: ${[...counts].join(', ')}`);
  const measured = new Map(
    libraries.map(({ name, peak }) => [name, { rate: median(rates.get(name) ?? []), peak: peak(task) }]),
  );
  console.log(`\n${task}: ${[...counts][0]} ${unit.replace('/s', '')}, ${ROUNDS} rounds`);
  const lines = [...measured].map(([library, { rate, peak }]) => {
    return { library, [unit]: Math.round(rate), 'peak MB': Math.round(peak / 1024) };
  });
  console.table(lines);
  return measured;
}

function ownPeak(list: string): Library['peak'] {
  const script = fileURLToPath(import.meta.url);
  return (task) =>
    peakOf(process.execPath, [
      '--import',
      import.meta.resolve('../src/typescript.mjs'),
      script,
      '--peak',
      task,
      list,
    ]);
}

function peakOfPeer(library: string, task: Task, list: string): number {
  return peakOf(python, [peersScript, '--peak', library, task, list]);
}

/** Peak resident memory that a process prints of itself, in KiB. */
function peakOf(command: string, args: readonly string[]): number {
  return Number(execFileSync(command, args, { cwd: root, encoding: 'utf8' }));
}
