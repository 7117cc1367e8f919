import type { QueueName } from '../../queues/index.ts';
import { peers } from '../../queues/peers.ts';
import { countPending, listPending } from '../../src/store/invalidation/invalidations.ts';
import type { JobContext } from '../worker/context.ts';
import { olderThan } from './debounce.ts';
import { BATCH, enqueueKeys } from './enqueue.ts';

/** While reports still arrive the peers of a quarter are computed this often. */
const BUSY_MS = 600_000;

/**
 * Enqueues the pending quarters: when no report changes any more those that were computed longer ago
 * than the debounce, else those of more than ten minutes ago.
 */
export async function enqueuePendingPeers(
  context: JobContext,
  upstream: readonly QueueName[],
): Promise<void> {
  const { db, config, producer } = context;
  const pending = await listPending(db, 'peers', BATCH);
  // A job that waits or runs reads what is pending when it starts.
  if (pending.length === 0 || (await producer.load(['peers'])) > 0) return;
  const isBusy = (await producer.load(upstream)) > 0 || (await countPending(db, 'report')) > 0;
  const debounce = { results: 'peers', ms: isBusy ? BUSY_MS : config.briefDebounceMs } as const;
  await enqueueKeys(context, peers, await olderThan(context, pending, debounce), ['quarterEnd']);
}
