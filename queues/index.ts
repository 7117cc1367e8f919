import { brief, diff, diffs, holders, insider, leaderboard, peers, search } from './derive.ts';
import { backfill, bulk, poll, reconcile, reference } from './discover.ts';
import { fetch, parse, sequence } from './filings.ts';
import { check, dispatch, expire, ledger } from './upkeep.ts';

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
  diffs,
  peers,
  insider,
  brief,
  expire,
  check,
  ledger,
  holders,
  search,
  leaderboard,
  dispatch,
} as const;

export type QueueName = keyof typeof QUEUES;
