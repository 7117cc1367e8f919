import type { QueueName } from '../queues/index.ts';
import { backfill, bulk } from './backfill.ts';
import { brief, diff, insider, leaderboard, peers, search } from './derive.ts';
import { dispatch } from './dispatch.ts';
import { fetch } from './fetch.ts';
import { parse } from './parse.ts';
import { poll } from './poll.ts';
import { reconcile } from './reconcile.ts';
import { reference } from './reference.ts';
import { sequence } from './sequence.ts';
import { upkeep } from './upkeep.ts';
import type { Job } from './worker/context.ts';

/** What happens on each queue. A queue without a job does not compile. */
export const JOBS: { readonly [Name in QueueName]: Job<Name> } = {
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
};
