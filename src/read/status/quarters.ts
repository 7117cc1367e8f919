import type { Db } from 'mongodb';
import { addDays } from '../../domain/calendar.ts';
import { LANES } from '../../domain/filing/lane.ts';
import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';
import { previousQuarterEnd, quarterEndOn, quartersThrough } from '../../domain/quarter.ts';
import type { StatusData } from '../../domain/wire/status.ts';
import { type FilingDoc, filingsIn } from '../../store/filing/filings.ts';

export type QuarterCount = StatusData['quarters'][number];

/** Quarters of filing dates that a status shows, the present one included. */
const SHOWN = 8;
const OPEN_MS = 60_000;
const CLOSED_MS = 3_600_000;

/**
 * Counts filings by the quarter of their filing date, newest quarter first. What was counted is kept: for a
 * minute in the present quarter, for an hour in an earlier one. So the cost is that of one quarter a minute,
 * however many are stored.
 */
export function openQuarterCounts(now: () => Date) {
  const kept = new Map<QuarterEnd, { readonly at: number; readonly count: QuarterCount }>();
  return async (db: Db, asOf: IsoDate): Promise<QuarterCount[]> => {
    const present = quarterEndOn(asOf);
    const counts: QuarterCount[] = [];
    for (const quarter of quartersThrough(present, SHOWN).sort().reverse()) {
      const age = now().getTime() - (kept.get(quarter)?.at ?? 0);
      if (age > (quarter === present ? OPEN_MS : CLOSED_MS)) {
        kept.set(quarter, { at: now().getTime(), count: await countQuarter(db, quarter) });
      }
      counts.push(...[kept.get(quarter)?.count ?? []].flat());
    }
    return counts;
  };
}

const STATES = ['discovered', 'fetched', 'parsed', 'quarantined'] as const;

async function countQuarter(db: Db, quarter: QuarterEnd): Promise<QuarterCount> {
  const filedDate = { $gte: addDays(previousQuarterEnd(quarter), 1), $lte: quarter };
  // State, lane and day are an index: no filing is read.
  const count = async (state: FilingDoc['state']): Promise<number> => {
    let sum = 0;
    for (const lane of LANES) sum += await filingsIn(db).countDocuments({ state, lane, filedDate });
    return sum;
  };
  const [discovered = 0, fetched = 0, parsed = 0, quarantined = 0] = await Promise.all(STATES.map(count));
  return { quarter_end: quarter, filed: discovered + fetched + parsed + quarantined, parsed, quarantined };
}
