import type { Db } from 'mongodb';
import { eventsIn } from '../../store/filing/events.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';
import { currentBriefsIn } from '../../store/publish/briefs.ts';
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
