import type { Db } from 'mongodb';

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

type CheckDoc = { _id: 'events'; check: EventCheck };

const checksIn = (db: Db) => db.collection<CheckDoc>('checks');

export async function saveEventCheck(db: Db, check: EventCheck): Promise<void> {
  await checksIn(db).updateOne({ _id: 'events' }, { $set: { check } }, { upsert: true });
}

/** Null before the first one. */
export async function lastEventCheck(db: Db): Promise<EventCheck | null> {
  return (await checksIn(db).findOne({ _id: 'events' }))?.check ?? null;
}
