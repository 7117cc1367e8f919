import { addDays } from '../calendar.ts';
import type { IsoDate } from '../ids.ts';

/**
 * How a filing was found, the most urgent first (rule 13.4): by the feed, by the daily index of the last
 * days, or by reading history. A filing that a more urgent lane finds moves up.
 */
export const LANES = ['live', 'reconcile', 'backfill'] as const;

export type Lane = (typeof LANES)[number];

/** Of work that came from no filing, or from one whose lane is not known: it waits for all that did. */
export const LAST_LANE: Lane = 'backfill';

/** The indexes of the last days are read again at each backfill, because EDGAR rewrites them to correct them. */
export const REREAD_DAYS = 7;

/** The lane of what the daily index of a day names. */
export function laneOfIndex(day: IsoDate, today: IsoDate): Lane {
  return day < addDays(today, -REREAD_DAYS) ? 'backfill' : 'reconcile';
}

/** The lanes that come before this one. */
export function lanesBefore(lane: Lane): readonly Lane[] {
  return LANES.slice(0, LANES.indexOf(lane));
}

/** The lanes that wait for this one. */
export function lanesAfter(lane: Lane): readonly Lane[] {
  return LANES.slice(LANES.indexOf(lane) + 1);
}
