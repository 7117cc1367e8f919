import type { Db } from 'mongodb';

export type ProcessRole = 'api' | 'worker' | 'scheduler';

/** What a process says of itself every few seconds. It removes its own when it ends in order. */
export type HeartbeatDoc = {
  /** `<role>@<host>:<pid>` */
  readonly _id: string;
  readonly role: ProcessRole;
  /** The groups of a worker's queues, as `live, heavy`; empty for the others. */
  readonly about: string;
  readonly host: string;
  readonly pid: number;
  /** Of the release. */
  readonly version: string;
  readonly startedAt: Date;
  readonly at: Date;
  /** Why it cannot work; empty when it can. */
  readonly problems: readonly string[];
  /** What it measured, for the operators' port, as JSON of prom-client; absent of a scheduler. */
  readonly metrics?: string;
};

const heartbeatsIn = (db: Db) => db.collection<HeartbeatDoc>('heartbeats');

/** Not journaled: the next one comes in seconds. */
export async function saveHeartbeat(db: Db, { _id, ...beat }: HeartbeatDoc): Promise<void> {
  await heartbeatsIn(db).updateOne({ _id }, { $set: beat }, { upsert: true, writeConcern: { w: 1 } });
}

export async function removeHeartbeat(db: Db, id: string): Promise<void> {
  await heartbeatsIn(db).deleteOne({ _id: id });
}

/** By role, then the oldest process first; without what they measured. */
export async function heartbeats(db: Db): Promise<HeartbeatDoc[]> {
  return heartbeatsIn(db)
    .find({}, { projection: { metrics: 0 } })
    .sort({ _id: 1 })
    .toArray();
}

/** What the processes measured that beat since then. */
export async function processMetrics(db: Db, since: Date): Promise<readonly string[]> {
  const found = await heartbeatsIn(db)
    .find({ at: { $gte: since } }, { projection: { metrics: 1 } })
    .sort({ _id: 1 })
    .toArray();
  return found.flatMap(({ metrics }) => metrics ?? []);
}

/** How often a worker that reads filings was started, ever. */
type StartsDoc = { _id: 'worker_starts'; count: number };

const startsIn = (db: Db) => db.collection<StartsDoc>('settings');

/** Counts the start of a worker that reads filings. Not journaled: only kills within minutes are compared by it. */
export async function countStart(db: Db): Promise<void> {
  await startsIn(db).updateOne(
    { _id: 'worker_starts' },
    { $inc: { count: 1 } },
    { upsert: true, writeConcern: { w: 1 } },
  );
}

/** How many starts were counted so far. */
export async function countedStarts(db: Db): Promise<number> {
  return Number((await startsIn(db).findOne({ _id: 'worker_starts' }))?.count ?? 0);
}
