import type { Db } from 'mongodb';
import { AggregatorRegistry, Gauge, type MetricObject, Registry } from 'prom-client';
import { processMetrics } from '../src/store/process/heartbeats.ts';
import type { Facts } from './facts.ts';

/** A process that has not saved its metrics for so long shows none: Prometheus sees the gap. */
const FRESH_MS = 60_000;
const STATUS = { down: 0, degraded: 1, ok: 2 } as const;

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | null];

/** What the facts are to Prometheus: name, help, samples. A null value has no sample. */
function gaugesOf(
  facts: Facts,
): readonly (readonly [name: string, help: string, samples: readonly Sample[]])[] {
  const { status, credits, queues, edgar } = facts;
  const { data } = status;
  const ofQueues = (pick: (queue: Facts['queues'][number]) => number | null): Sample[] =>
    queues.map((queue) => [{ queue: queue.name }, pick(queue)]);
  const one = (value: number | null): Sample[] => [[{}, value]];
  return [
    ['status', '2 ok, 1 degraded, 0 down', one(STATUS[data.status])],
    ['problems', 'Reasons why the status is not ok', one(status.problems.length)],
    ['minutes_behind', 'Minutes behind EDGAR', one(data.minutes_behind)],
    ['watermark_lag_days', 'Days from the watermark to today', one(lagDays(facts))],
    ['events_head_seq', 'Number of the last event', one(data.events.head_seq)],
    ['processes_alive', 'Processes with a fresh heartbeat, by role', byRole(facts)],
    ['filings', 'Filings by the quarter of their filing date', filings(facts)],
    ['queue_waiting', 'Jobs that wait', ofQueues(({ waiting }) => waiting)],
    ['queue_active', 'Jobs at work', ofQueues(({ active }) => active)],
    ['queue_delayed', 'Jobs that are tried later', ofQueues(({ delayed }) => delayed)],
    ['queue_completed_day', 'Jobs completed in 24 hours', ofQueues(({ completed }) => completed)],
    ['queue_failed_day', 'Jobs failed in 24 hours', ofQueues(({ failed }) => failed)],
    [
      'queue_next_wait_seconds',
      'How long the next job has waited',
      ofQueues((queue) => queue.oldestSeconds ?? 0),
    ],
    ['queue_job_seconds', 'Median time of the last completed jobs', ofQueues(({ jobSeconds }) => jobSeconds)],
    ['edgar_blocked_seconds', 'How long the breaker stays open', one(edgar.blockedMs / 1_000)],
    ['edgar_rate_limit', 'Requests a second that all processes may send', one(edgar.rate)],
    ['credits_at_risk', 'Credits charged that only Redis knows', one(credits.credits_at_risk)],
    ['credits_drain_lag_seconds', 'Age of the oldest such charge', one(credits.credits_drain_lag_ms / 1_000)],
    [
      'credits_stopped',
      'Organisations whose charges are stopped until the operator sets the fence',
      one(credits.credits_stopped),
    ],
    ['credits_balance', 'Credits of all organisations at the last check', one(credits.credits_balance)],
    [
      'credits_check_age_seconds',
      'Since the last check of the ledger',
      one(since(facts, credits.credits_checked_at)),
    ],
    [
      'credits_check_clean',
      '1: the last check of the ledger found nothing',
      one(isClean(credits.credits_check)),
    ],
    [
      'credits_whole_check_age_seconds',
      'Since the last check of every row of the ledger',
      one(since(facts, credits.credits_whole_checked_at)),
    ],
    [
      'credits_whole_check_clean',
      '1: the last check of every row found nothing',
      one(isClean(credits.credits_whole_check)),
    ],
  ];
}

function isClean(check: string | null): number | null {
  return check === null ? null : Number(check === 'clean');
}

function since({ at }: Facts, checkedAt: string | null): number | null {
  return checkedAt === null ? null : (at.getTime() - Date.parse(checkedAt)) / 1_000;
}

function lagDays({ status: { data } }: Facts): number | null {
  const through = data.watermarks[0]?.through ?? null;
  if (through === null || data.as_of === null) return null;
  return (Date.parse(data.as_of) - Date.parse(through)) / 86_400_000;
}

function byRole({ status }: Facts): Sample[] {
  return ['api', 'worker', 'scheduler'].map((role) => [
    { role },
    status.data.processes.filter((one) => one.role === role && one.alive).length,
  ]);
}

function filings({ status }: Facts): Sample[] {
  return status.data.quarters.flatMap(({ quarter_end: quarter, ...counts }): Sample[] =>
    Object.entries(counts).map(([state, count]) => [{ quarter, state }, count]),
  );
}

/** Shorter than Prometheus waits. */
const LIMIT_MS = 5_000;
const DOWN = '# TYPE tidemark_status gauge\ntidemark_status 0\n';

/** What is known now; null while a service does not answer. */
function inTime(read: () => Promise<Facts>): Promise<Facts | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, LIMIT_MS, null).unref());
  return Promise.race([read().catch(() => null), late]);
}

/**
 * Everything for Prometheus: what the processes measured, and the facts of the whole installation. While a service
 * does not answer it is the status alone, which is what an alert waits for.
 */
export async function prometheusText(db: Db, read: () => Promise<Facts>): Promise<string> {
  const facts = await inTime(read);
  if (facts === null) return DOWN;
  const registry = new Registry();
  for (const [name, help, samples] of gaugesOf(facts)) {
    const known = samples.filter((sample): sample is [Sample[0], number] => sample[1] !== null);
    const labelNames = Object.keys(known[0]?.[0] ?? {});
    const gauge = new Gauge({ name: `tidemark_${name}`, help, labelNames, registers: [registry] });
    // A gauge without labels begins at 0, which nobody measured.
    gauge.remove({});
    for (const [labels, value] of known) gauge.set(labels, value);
  }
  const saved = await processMetrics(db, new Date(facts.at.getTime() - FRESH_MS));
  const own = await registry.getMetricsAsJSON();
  const all = [...saved.map((text) => JSON.parse(text) as MetricObject[]), own];
  return AggregatorRegistry.aggregate(all as never).metrics();
}
