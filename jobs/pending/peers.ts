import type { QueueName } from '../../queues/index.ts';
import { peers } from '../../queues/peers.ts';
import type { QuarterEnd } from '../../src/domain/ids.ts';
import { countPending, listPending } from '../../src/store/invalidation/invalidations.ts';
import { peersComputedSince } from '../../src/store/peers/corporate-actions.ts';
import type { JobContext } from '../worker/context.ts';

/** While reports still arrive the filers of a quarter are asked at most this often, and at least. */
const BUSY_MS = 600_000;
const BATCH = 500;

/**
 * Enqueues the quarters that are marked: when nothing upstream changes reports any more those that
 * were computed longer ago than the debounce, else those of more than ten minutes ago.
 */
export async function enqueuePendingPeers(
  { db, config, now, producer }: JobContext,
  upstream: readonly QueueName[],
): Promise<void> {
  const marked = await listPending(db, 'peers', BATCH);
  // One that waits or runs sees what is marked when it starts.
  if (marked.length === 0 || (await producer.load(['peers'])) > 0) return;
  const isBusy = (await producer.load(upstream)) > 0 || (await countPending(db, 'report')) > 0;
  const since = new Date(now().getTime() - (isBusy ? BUSY_MS : config.briefDebounceMs)).toISOString();
  const quarters = marked.map(({ key }) => key as QuarterEnd);
  const fresh = await peersComputedSince(db, quarters, since);
  const due = marked.map(({ key, version }) => ({
    quarterEnd: key as QuarterEnd,
    version: Number(version),
  }));
  await producer.enqueueAll(
    peers,
    due.filter(({ quarterEnd }) => !fresh.has(quarterEnd)),
  );
}
