import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryFailure, HistoryPart, HistoryPlan, HistorySelection } from '../../jobs/history.ts';
import type { Producer } from '../../jobs/worker/producer.ts';
import { QUEUES } from '../../queues/index.ts';
import type { Context } from '../context.ts';
import type { Accession, Cik, IsoDate } from '../domain/ids.ts';
import type { EdgarClient } from '../edgar/client/open.ts';
import { progressBar } from './progress-bar.ts';
import { say } from './session.ts';

const TICK_MS = 2_000;
/** Filings that one look asks for: the newest that are left, as the workers take them. */
const LOOK = 500;

export type Run = {
  readonly context: Context;
  readonly edgar: EdgarClient;
  readonly producer: Producer;
  readonly signal: AbortSignal;
};

/** Which filings are left to the workers, or in a dry run would be. It grows with each day that is read. */
export type Noted = ReturnType<typeof openNoted>;

export function openNoted() {
  return {
    /** All that the workers have to do: new, imported and waiting filings. */
    left: [] as Accession[],
    fresh: 0,
    imported: 0,
    stored: 0,
    unknown: [] as Accession[],
    unknownCiks: [] as Cik[],
    leftOut: [] as Accession[],
    /** Every filing since this day is noted; null before the first day. */
    oldestDay: null as IsoDate | null,
    /** False while a part of the selection is not noted. */
    isWhole: false,
  };
}

/** Leaves the selection to the workers part by part, in a dry run only counted; a stop ends it between two parts. */
export async function noteHistory(
  { context, edgar, signal }: Omit<Run, 'producer'>,
  selection: HistorySelection,
  { noted, isDryRun }: { readonly noted: Noted; readonly isDryRun: boolean },
): Promise<void> {
  const { findHistory, historyDays, planHistory, wantHistory } = await import('../../jobs/history.ts');
  const asked = { db: context.db, edgar };
  const days = historyDays(selection);
  const bar = progressBar(
    'Reading indexes |{bar}| {value}/{total} days, {filings} filings, {eta_formatted} left',
  );
  if (days !== null) bar.start(days.length, 0, { filings: 0 });
  let parts = 0;
  try {
    for await (const part of findHistory(asked, selection, signal)) {
      if (signal.aborted) break;
      const plan = await planHistory(asked, part.found);
      if (!isDryRun) await wantHistory(asked, plan, context.now());
      add(noted, part, plan);
      parts += 1;
      if (days !== null) bar.update(parts, { filings: noted.left.length });
    }
  } finally {
    bar.stop();
  }
  noted.isWhole = parts === (days?.length ?? 1);
}

function add(noted: Noted, part: HistoryPart, plan: HistoryPlan): void {
  const { day, unknown, unknownCiks, leftOut } = part;
  for (const { accession } of plan.fresh) noted.left.push(accession);
  for (const accession of [...plan.imported, ...plan.waiting]) noted.left.push(accession);
  noted.fresh += plan.fresh.length;
  noted.imported += plan.imported.length;
  noted.stored += plan.stored.length;
  noted.unknown = noted.unknown.concat(unknown);
  noted.unknownCiks = noted.unknownCiks.concat(unknownCiks);
  noted.leftOut = noted.leftOut.concat(leftOut);
  noted.oldestDay = day;
}

export type Watched = {
  readonly fetched: number;
  readonly failures: readonly HistoryFailure[];
  readonly left: number;
};

/** Shows how far the workers are until nothing is left. A filing that EDGAR lacks is tried again and again. */
export async function watch(
  { context, producer, signal }: Run,
  accessions: readonly Accession[],
): Promise<Watched> {
  const { endedAmong } = await import('../../jobs/history.ts');
  let left = [...accessions];
  const failures: HistoryFailure[] = [];
  const total = left.length;
  const bar = progressBar('Fetching |{bar}| {value}/{total} filings, {eta_formatted} left');
  bar.start(total, 0);
  if (total > 0 && (await producer.workers(QUEUES.fetch.name)) === 0)
    say('No worker is connected: start tidemark work and tidemark schedule.');
  while (left.length > 0 && !signal.aborted) {
    await producer.enqueue(QUEUES.dispatch, { slot: context.now().getTime() });
    await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
    const looked = left.slice(0, LOOK);
    const one = await endedAmong(context, looked);
    const ended = new Set(one.ended);
    failures.push(...one.failures);
    // Those that wait longer than others are looked at in their turn.
    left = [...left.slice(LOOK), ...looked.filter((accession) => !ended.has(accession))];
    bar.update(total - left.length);
  }
  bar.stop();
  return { fetched: total - left.length - failures.length, failures, left: left.length };
}
