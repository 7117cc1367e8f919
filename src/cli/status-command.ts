import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { creditProblems, creditsStatus } from '../credits/ledger/status.ts';
import { creditStoreOf } from '../credits/store.ts';
import { pipelineProgress } from '../derive/corpus/progress.ts';
import {
  type DataSetStatus,
  dataSetProblems,
  dataSetStatus,
  type IndexStatus,
  indexStatus,
  pipelineStatus,
} from '../derive/corpus/status.ts';
import { daysOfDataSet } from '../domain/filing/index-coverage.ts';
import { quarterEndOn, quarterLabel } from '../domain/quarter.ts';
import { pollWords } from '../domain/wire/status.ts';
import { kindOfDataSet } from '../edgar/data-set/published.ts';
import { FORMS } from '../forms/index.ts';
import { mostCounted } from '../read/brief/most-observed.ts';
import {
  openQuarterCounts,
  type ProcessHealth,
  processHealth,
  serviceStatus,
  withProblems,
} from '../read/status/status.ts';
import { referenceAlarms } from '../store/filing/alarms.ts';
import { type EventCheck, lastEventCheck } from '../store/filing/events.ts';
import { print, printNamed, withContext } from './session.ts';

type Options = { readonly totals?: boolean; readonly json?: boolean };

/** `tidemark status`. */
export function addStatus(program: Command): void {
  program
    .command('status')
    .option('--totals', 'read every filing for exact totals, by form, with the rows of 13F')
    .option('--json', 'print one JSON object')
    .action((options: Options) =>
      withContext(async (context) => {
        const { db, now } = context;
        const best = await mostCounted(db);
        const credits = await creditsStatus(creditStoreOf(context));
        const status = {
          ...(await (options.totals ? pipelineStatus(db) : pipelineProgress(db))),
          most_observed_ticker: best?.ticker ?? null,
          brief_id: best?.briefId ?? null,
          ...credits,
        };
        const index = await indexStatus(db);
        const files = await referenceAlarms(db);
        const alarms = files.map(({ name: file, reason: code, message, since, at }) => ({
          ...{ file, code, message, since, at },
        }));
        const sets = await dataSetStatus(db);
        const check = await lastEventCheck(db);
        const health = await processHealth(db, now);
        const service = await serviceOf(context, [
          ...creditProblems(credits),
          ...dataSetProblems(sets, health),
        ]);
        const processes = health.map(processRow);
        if (options.json) {
          const more = { reference_alarms: alarms, ...sets, events_check: check, processes, service };
          print(JSON.stringify({ ...status, ...index, ...more }));
          return;
        }
        printService(service);
        printLines(status, index);
        for (const row of processes) printProcess(row);
        for (const { file, code, message } of alarms) print(`ALARM ${file} ${code}: ${message}`);
        printDataSets(sets);
        printCheck(check);
      }),
    );
}

/** The same as `/status`, with the reasons. */
async function serviceOf({ db, now }: Context, more: readonly string[]) {
  const source = { db, now, forms: FORMS, countQuarters: openQuarterCounts(now) };
  const { data, problems } = withProblems(await serviceStatus(source), more);
  return { ...data, problems };
}

function printService({ problems, quarters, ...data }: Awaited<ReturnType<typeof serviceOf>>): void {
  const { status, version, minutes_behind, events } = data;
  const lines = {
    status,
    version,
    last_poll_at: pollWords(data),
    minutes_behind: minutes_behind ?? '–',
    head_seq: events.head_seq,
  };
  printNamed(lines);
  for (const problem of problems) print(`PROBLEM ${problem}`);
  for (const { quarter_end, filed, parsed, quarantined } of quarters) {
    if (filed > 0)
      print(`filed in the quarter to ${quarter_end}: ${filed}, parsed ${parsed}, quarantined ${quarantined}`);
  }
}

function printLines(status: object, index: IndexStatus): void {
  const lines = {
    ...status,
    indexed_through: index.indexed_through,
    withdrawn: index.withdrawn.length,
  };
  printNamed(lines);
  for (const accession of index.withdrawn) print(`withdrawn from the index: ${accession}`);
  for (const { day, reason, message } of index.index_alarms) print(`ALARM ${day} ${reason}: ${message}`);
}

function processRow({ role, about, queues, host, pid, ageSeconds, problems }: ProcessHealth) {
  return { role, about, queues, host, pid, heartbeat_age_seconds: ageSeconds, problems };
}

function printProcess({
  role,
  about,
  host,
  pid,
  heartbeat_age_seconds,
  problems,
}: ReturnType<typeof processRow>) {
  const name = [`process ${host}:${pid}`, role, about].join(' ').trim();
  print(`${name}: ${problems.length === 0 ? `ready ${heartbeat_age_seconds} s ago` : problems.join('; ')}`);
}

function printDataSets({ data_sets: sets }: DataSetStatus): void {
  const open = sets.filter(({ state }) => state === 'waiting' || state === 'importing');
  for (const { name, state, percent } of open) {
    print(`data set ${name}: ${state}${percent === null ? '' : `, ${percent} %`}`);
  }
  if (open.length > 0) {
    print('A worker of the group bulk imports them: tidemark work, or tidemark work --queues bulk.');
  }
  for (const { name, failure } of sets) {
    if (failure === null) continue;
    print(`ALARM data set ${name} ${failure.code}: ${failure.reason}`);
    print(`  It is tried again within two hours. At once: ${commandFor(name)}`);
  }
}

function commandFor(name: string): string {
  const { first, last } = daysOfDataSet(name);
  const [from, to] = [first, last].map((day) => quarterLabel(quarterEndOn(day)));
  return `tidemark backfill ${kindOfDataSet(name)} --from ${from} --to ${to} --resume`;
}

/** The last check of the stream, of the night or of `tidemark events check`. */
function printCheck(check: EventCheck | null): void {
  const result = check === null ? 'never' : `${check.at}, ${check.problem_count} problems`;
  printNamed({ events_check: result });
  for (const { code, message } of check?.problems ?? []) print(`ALARM events ${code}: ${message}`);
}
