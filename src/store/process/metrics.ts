import type { Db } from 'mongodb';

/** What a process measured, kept for the operators' port: its own port would be one more for each process. */
type ProcessMetricsDoc = {
  /** That of its heartbeat. */
  readonly _id: string;
  readonly at: Date;
  /** JSON of prom-client. */
  readonly metrics: string;
};

const metricsIn = (db: Db) => db.collection<ProcessMetricsDoc>('process_metrics');

/** Not journaled: the next ones come in seconds. */
export async function saveProcessMetrics(db: Db, { _id, at, metrics }: ProcessMetricsDoc): Promise<void> {
  await metricsIn(db).updateOne({ _id }, { $set: { at, metrics } }, { upsert: true, writeConcern: { w: 1 } });
}

/** Of the processes that saved theirs since then. */
export async function processMetrics(db: Db, since: Date): Promise<readonly string[]> {
  const found = await metricsIn(db)
    .find({ at: { $gte: since } })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ metrics }) => metrics);
}
