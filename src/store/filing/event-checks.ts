import type { Db } from 'mongodb';
import { saveSetting, settingOf } from './settings.ts';

/** One thing that is not as rule 13.1 says. */
export type EventProblem = {
  readonly code:
    | 'missing_numbers'
    | 'filing_disagrees'
    | 'filing_without_event'
    | 'overdue'
    | 'poller_differs'
    | 'older_than_published';
  readonly message: string;
};

/** What a check of the stream counted and found. */
export type EventCheck = {
  /** ISO 8601 UTC */
  readonly at: string;
  readonly head: number;
  readonly events: number;
  /** Recorded gaps. */
  readonly gaps: number;
  /** Filings that say they are published. */
  readonly published: number;
  readonly pending: number;
  /** The highest number that was ever published; 0 when that is not known. */
  readonly highest: number;
  readonly problem_count: number;
  /** The first ones. */
  readonly problems: readonly EventProblem[];
};

const CHECK = 'events_check';

export function saveEventCheck(db: Db, check: EventCheck): Promise<void> {
  return saveSetting(db, CHECK, check);
}

/** Null before the first one. */
export function lastEventCheck(db: Db): Promise<EventCheck | null> {
  return settingOf<EventCheck>(db, CHECK);
}
