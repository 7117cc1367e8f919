import { freePort } from '../../../packages/embedded/port.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { openQueueRedis } from '../../../src/redis.ts';
import { ensureIndexes } from '../../../src/store/mongo/indexes.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openWorld, type World } from '../../world.ts';
import { type Child, openChildren } from '../harness/child.ts';
import { openOwnServer } from '../harness/own-server.ts';

const LIFTED = {
  RATE_LIMIT_PER_SECOND: '0',
  SHED_LOOP_DELAY_MS: '0',
  FAILED_AUTH_PER_MINUTE: '0',
  MAX_CONNECTIONS_PER_ADDRESS: '10000',
};
const UP_MS = 180_000;

/** Two APIs as processes of their own, over a Redis of their own that may be killed. */
export type Service = Awaited<ReturnType<typeof openService>>;

/** A running API at an address that its successors keep. */
export type ApiSlot = {
  readonly origin: string;
  /** Of the process that has the address now. */
  readonly pid: () => number;
  /** kill -9; another process takes the address at once. */
  readonly kill: () => void;
  readonly end: () => void;
};

/** @param settings of the APIs; by default the limits that a test of money would trip over are lifted */
export async function openService(settings: Readonly<Record<string, string>> = LIFTED) {
  const redis = await openOwnServer('credits');
  const world = await openWorld({ ...settings, CREDITS_REDIS_URL: redis.url });
  await ensureIndexes(world.mongo.db);
  await seedCorpus(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'x');
  await seedBrief(world.mongo.db, 'BIG', 'x'.repeat(70_000));
  // One that waits until Redis is back: this test is no API, and has no call to answer in time.
  const admin = openQueueRedis(redis.url);
  await admin.connect();
  const store = { ...world.store, redis: admin };
  const children = openChildren();
  const apis = await Promise.all([openApi(world, children), openApi(world, children)]);
  let organizations = 0;
  return {
    world,
    redis,
    apis,
    /** The books of the APIs, over a connection of this test. */
    store,
    newKey: (credits: number) => {
      organizations += 1;
      const orgName = `Organisation ${organizations}`;
      return createKey(store, { orgName, credits, label: 'test' });
    },
    untilUp: () => untilUp(apis),
    close: async () => {
      for (const api of apis) api.end();
      admin.disconnect();
      await world.close();
      await redis.close();
    },
  };
}

async function openApi(world: World, children: ReturnType<typeof openChildren>): Promise<ApiSlot> {
  const port = String(await freePort());
  let child: Child;
  let isOver = false;
  const start = (): void => {
    child = children.start(['serve'], { ...world.env, PORT: port });
    // As a supervisor does. A process that finds no Redis at its start ends too.
    void child.ended().then(() => {
      if (!isOver) start();
    });
  };
  start();
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: () => child.pid,
    kill: () => child.signal('SIGKILL'),
    end: () => {
      isOver = true;
      child.signal('SIGKILL');
    },
  };
}

/** Both APIs answer. */
async function untilUp(apis: readonly ApiSlot[]): Promise<void> {
  const isUp = async (): Promise<boolean> => {
    const ready = await Promise.all(apis.map(({ origin }) => isReady(`${origin}/health/ready`)));
    return ready.every(Boolean);
  };
  if (!(await waitUntil(isUp, UP_MS))) throw new Error('the APIs are not ready');
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
