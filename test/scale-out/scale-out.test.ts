// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { checkEvents } from '../../src/read/audit/events.ts';
import { openQueueRedis } from '../../src/redis.ts';
import { exactBooks } from '../faults/credits/books.ts';
import { call, callAll, countsOf, type Receipt } from '../faults/harness/caller.ts';
import { IS_LONG } from '../faults/harness/scenario.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../flow/flow.ts';
import type { Folder } from '../flow/folder.ts';
import { type Shown, shownIn, streamOf } from '../flow/shown.ts';
import { AS_OF, openSmallCorpus } from '../flow/small-corpus.ts';
import { deployHere, deployProcesses } from './deployment.ts';
import { openCluster, type TestCluster } from './redis-cluster.ts';

const GRANT = 1_000_000;
const PATH = '/v1/search?q=apple';
/** Calls at least, so that some are made before, during and after the fail-over. */
const CALLS = 300;
const AT_ONCE = 4;
const LOSABLE = 10 * AT_ONCE;
const PAUSE_MS = 100;
const LIMIT_MS = 240_000;

let folder: Folder;
let cluster: TestCluster;
/** What one process of each, on one Redis, shows. */
let single: { readonly shown: Shown; readonly events: readonly string[] };

beforeAll(async () => {
  [folder, cluster] = await Promise.all([openSmallCorpus(), openCluster()]);
  const flow = await openFlow(folder, AS_OF);
  await runPipeline(flow);
  single = { shown: await shownIn(flow.db), events: await eventsOf(flow) };
  await flow.close();
}, 300_000);

afterAll(async () => {
  cluster?.close();
  await folder?.close();
});

test('two APIs, three workers by group and two schedulers on a Redis Cluster that fails over show what one of each shows, and charge exactly', async () => {
  const settings = { CREDITS_REDIS_URL: cluster.url, QUEUE_REDIS_URL: cluster.url, ...LIFTED };
  const flow = await openFlow(folder, AS_OF, { settings });
  const tag = flow.world.creditsTag;
  const admin = openQueueRedis(cluster.url, tag);
  await admin.connect();
  const store = { ...flow.world.store, redis: admin };
  // Seven processes take a busy machine minutes to start.
  const { origins, close } = await (IS_LONG ? deployProcesses : deployHere)(flow);
  const account = await createKey(store, { orgName: 'Customer', credits: GRANT, label: 'test' });

  let isOver = false;
  const calling = callAll({ more: (n) => !isOver || n < CALLS, atOnce: AT_ONCE }, (n) =>
    insist(origins, { key: account.key, name: `order ${n}` }),
  );
  await runThrough(flow, () => cluster.failOver(tag));
  isOver = true;
  const receipts = await calling;

  expect(countsOf(receipts)).toEqual({ 200: receipts.length });
  expect({ shown: await shownIn(flow.db), events: await eventsOf(flow) }).toEqual(single);
  expect(await checkEvents(flow.db, 0, new Date())).toMatchObject({ pending: 0, problem_count: 0 });
  await close();
  const { spent } = await exactBooks(store, account.orgId);
  // A charge that was answered, and that the replica did not have yet, is lost in the customer's favour.
  expect(spent).toBeLessThanOrEqual(receipts.length);
  expect(spent).toBeGreaterThanOrEqual(receipts.length - LOSABLE);
  admin.disconnect();
  await flow.close();
}, 600_000);

/** Its numbers are of the order of arrival; the set is not. */
const eventsOf = async ({ db }: Flow): Promise<string[]> =>
  (await streamOf(db)).map(([, accession]) => accession).sort();

const LIFTED = { RATE_LIMIT_PER_SECOND: '0', SHED_LOOP_DELAY_MS: '0', FAILED_AUTH_PER_MINUTE: '0' };

/** Until nothing is pending. `disturb` is called once, in the middle. */
async function runThrough(flow: Flow, disturb: () => Promise<void>): Promise<void> {
  const pipeline = await openStages(flow);
  let isDisturbed = false;
  await dispatchToEnd(pipeline, {
    watch: async ({ parsed }) => {
      if (isDisturbed || parsed < 3) return;
      isDisturbed = true;
      await disturb();
    },
  });
  expect(isDisturbed).toBe(true);
  await pipeline.close();
}

/** A customer that asks until it is answered, each time the other API, under one name. */
async function insist(
  origins: readonly string[],
  { key, name }: { readonly key: string; readonly name: string },
): Promise<Receipt> {
  const until = performance.now() + LIMIT_MS;
  for (let at = 0; ; at += 1) {
    const receipt = await call({ url: `${origins[at % origins.length]}${PATH}`, key, name });
    if (receipt.status === 200 || performance.now() > until) return receipt;
    await sleep(PAUSE_MS);
  }
}
