import { fetch } from '../../queues/fetch.ts';
import { parse } from '../../queues/parse.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import type { JobContext } from '../worker/context.ts';

/** A backlog stays in MongoDB: the dispatcher adds to a queue that has fewer jobs than this, and so many at most. */
const MAX_ENQUEUED = 500;

/** How many filings a backfill may enqueue for fetching. The dispatcher enqueues the others. */
export async function fetchRoom({ producer }: JobContext): Promise<number> {
  return Math.max(0, MAX_ENQUEUED - (await producer.load(['fetch'])));
}

/** Enqueues filings whose stage is due, newest first. A job that is still enqueued stays one job. */
export async function enqueuePendingFilings(context: JobContext): Promise<void> {
  await feed(context, fetch, 'discovered');
  await feed(context, parse, 'fetched');
}

async function feed(
  { db, producer, now }: JobContext,
  spec: typeof fetch | typeof parse,
  state: FilingDoc['state'],
): Promise<void> {
  if ((await producer.load([spec === fetch ? 'fetch' : 'parse'])) >= MAX_ENQUEUED) return;
  const due = await filingsIn(db)
    .find({ state, nextAt: { $lte: now().toISOString() } }, { projection: { filedDate: 1, fence: 1 } })
    .sort({ filedDate: -1 })
    .limit(MAX_ENQUEUED)
    .toArray();
  await producer.enqueueAll(
    spec,
    // The fence is part of the job's id: a job that failed for good would swallow its own id.
    due.map(({ _id, filedDate, fence }) => ({ accession: _id, filedDate, run: Number(fence) })),
  );
}
