import type { Db } from 'mongodb';
import { indexGaps } from '../../domain/filing/index-coverage.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { indexAlarms } from '../../store/filing/alarms.ts';
import { dataSetsNamed } from '../../store/filing/data-sets.ts';
import { eventsIn } from '../../store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';
import {
  backfillState,
  knownIndexDays,
  lastBackfill,
  withdrawnFilings,
} from '../../store/filing/index-days.ts';
import { publishedAsOf } from '../../store/filing/settings.ts';
import { currentBriefsIn } from '../../store/publish/current-briefs.ts';
import { coverageOn } from './corpus.ts';
import { pipelineProgress } from './progress.ts';

export type PipelineStatus = Awaited<ReturnType<typeof pipelineStatus>>;

/**
 * The progress with exact totals. These read every filing, so this is for the end of a run: while it runs
 * ask {@link pipelineProgress}.
 */
export async function pipelineStatus(db: Db) {
  const progress = await pipelineProgress(db);
  return {
    ...progress,
    ...(await parsedTotals(db)),
    events: await eventsIn(db).countDocuments(),
    briefs: await currentBriefsIn(db).countDocuments(),
  };
}

type LegTotal = { _id: FilingDoc['leg']; filings: number; rows: number };

/** One pass over the parsed filings. `holdings_rows`: of all information tables as filed. */
async function parsedTotals(db: Db) {
  const totals = await filingsIn(db)
    .aggregate<LegTotal>([
      { $match: { state: 'parsed' } },
      {
        $group: { _id: '$leg', filings: { $sum: 1 }, rows: { $sum: { $ifNull: ['$rows.count', 0] } } },
      },
    ])
    .toArray();
  const sum = (of: readonly LegTotal[], field: 'filings' | 'rows'): number =>
    of.reduce((total, leg) => total + Number(leg[field]), 0);
  const inLeg = (wanted: FilingDoc['leg']) => totals.filter(({ _id }) => _id === wanted);
  return {
    parsed: sum(totals, 'filings'),
    filings_13f: sum(inLeg('thirteen_f'), 'filings'),
    filings_form4: sum(inLeg('form4'), 'filings'),
    holdings_rows: sum(totals, 'rows'),
  };
}

type Process = { readonly role: string; readonly about: string; readonly isAlive: boolean };

/** What holds an import up, in words for operators. */
export function dataSetProblems({ data_sets: sets }: DataSetStatus, processes: readonly Process[]): string[] {
  const failed = sets.flatMap(({ name, failure }) =>
    failure === null ? [] : [`data set ${name} ${failure.code}: ${failure.reason}`],
  );
  const isServed = processes.some(
    ({ role, about, isAlive }) => isAlive && role === 'worker' && about.includes('bulk'),
  );
  const open = sets.filter(({ state }) => state === 'waiting' || state === 'importing');
  if (open.length === 0 || isServed) return failed;
  const waiting = `${open.length} data sets wait, no worker of the group bulk is running, and no brief is published before the recent ones are imported: tidemark work --queues bulk`;
  return [...failed, waiting];
}

export type DataSetStatus = Awaited<ReturnType<typeof dataSetStatus>>;

/** The data sets that days are held back for, newest first: how far each is, and why one could not be had. */
export async function dataSetStatus(db: Db) {
  const wanted = (await lastBackfill(db))?.dataSets ?? [];
  const known = await dataSetsNamed(db, wanted);
  return {
    data_sets: wanted.map((name) => {
      const { state = 'waiting', progress, failure = null } = known.get(name) ?? {};
      const isImporting = state === 'importing' && progress !== undefined;
      return {
        name,
        state,
        percent: isImporting ? Math.floor(Number(progress.share) * 100) : null,
        failure,
      };
    }),
  };
}

export type IndexStatus = Awaited<ReturnType<typeof indexStatus>>;

/** What the daily indexes say of completeness, and what holds the watermark (rule 10.5). */
export async function indexStatus(db: Db) {
  const backfill = await backfillState(db);
  const known = (await knownIndexDays(db)).map((day) => day._id);
  const raised = await indexAlarms(db);
  const explained = new Set<IsoDate>([
    ...raised.map(({ name }) => name),
    ...(backfill?.left ?? []),
    ...(backfill?.held ?? []),
  ]);
  const asOf = await publishedAsOf(db);
  const gaps = indexGaps(known, backfill?.from).filter((day) => !explained.has(day));
  return {
    indexed_through: asOf === null ? null : (await coverageOn(db, asOf)).through,
    /** Filings that the index of their day no longer lists. They stay in every figure. */
    withdrawn: await withdrawnFilings(db),
    /** Days whose index failed or is not believed, and business days that were skipped. */
    index_alarms: [
      ...raised.map(({ name: day, reason, message, since, reads }) => ({
        day,
        reason,
        message,
        since,
        reads,
      })),
      ...gaps.map((day) => ({
        ...{ day, reason: 'not_read', message: `no index of ${day} was read, but later ones were` },
        ...{ since: null, reads: 0 },
      })),
    ],
  };
}
