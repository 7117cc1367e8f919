import { brief, diff, dispatch, insider, leaderboard, peers, search, upkeep } from './derive.ts';
import { backfill, bulk, poll, reconcile, reference } from './discover.ts';
import { fetch, parse, sequence } from './filings.ts';

/** Every queue, in the order in which a filing meets them. */
export const QUEUES = {
  poll,
  backfill,
  bulk,
  reconcile,
  reference,
  fetch,
  parse,
  sequence,
  diff,
  peers,
  insider,
  brief,
  search,
  leaderboard,
  upkeep,
  dispatch,
} as const;

export type QueueName = keyof typeof QUEUES;
