import type { QueueName } from '../queues/index.ts';
import { backfill } from './backfill.ts';
import { brief } from './brief.ts';
import { bulk } from './bulk.ts';
import { check } from './check.ts';
import { diff } from './diff.ts';
import { diffs } from './diffs.ts';
import { dispatch } from './dispatch.ts';
import { expire } from './expire.ts';
import { fetch } from './fetch.ts';
import { fetches } from './fetches.ts';
import { holders } from './holders.ts';
import { insider } from './insider.ts';
import { leaderboard } from './leaderboard.ts';
import { ledger } from './ledger.ts';
import { parse } from './parse.ts';
import { parses } from './parses.ts';
import { peers } from './peers.ts';
import { poll } from './poll.ts';
import { reconcile } from './reconcile.ts';
import { reference } from './reference.ts';
import { seal } from './seal.ts';
import { search } from './search.ts';
import { sequence } from './sequence.ts';
import type { Job } from './worker/context.ts';

/** What happens on each queue. A queue without a job does not compile. */
export const JOBS: { readonly [Name in QueueName]: Job<Name> } = {
  poll,
  backfill,
  bulk,
  reconcile,
  reference,
  fetch,
  fetches,
  parse,
  parses,
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
  seal,
  dispatch,
};
