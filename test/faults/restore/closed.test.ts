import { join } from 'node:path';
import { Worker } from 'bullmq';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { bullPrefix } from '../../../jobs/worker/producer.ts';
import { load } from '../../../src/backup/load.ts';
import { createKey, revokeKey, rotateKey } from '../../../src/credits/account/key-life.ts';
import { startApi } from '../../../src/serve.ts';
import { findKey } from '../../../src/store/account/keys.ts';
import { requireStoreVersion } from '../../../src/store/filing/store-version.ts';
import { tidemark } from '../../cli/tidemark.ts';
import { opened } from '../../opened.ts';
import { ownFolder } from '../../own-folder.ts';
import { openWorld, type World } from '../../world.ts';

const shop = opened(() => openWorld({ PORT: '0' }));
const folder = ownFolder('restore');
let dir: string;
const keys: { readonly key: string; readonly keyId: string; readonly orgId: string }[] = [];
const worlds: World[] = [];

beforeAll(async () => {
  dir = join(folder, 'copy');
  for (const label of ['kept', 'revoked', 'replaced']) {
    keys.push(await createKey(shop.store, { orgName: 'customer', credits: 10, label }));
  }
  expect(await tidemark(shop, 'backup', dir)).toMatchObject({ code: 0 });
});
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** An empty MongoDB beside the services that the shop has. */
async function emptyMongo(): Promise<World> {
  const world = await openWorld({ CREDITS_TAG: shop.creditsTag, QUEUE_PREFIX: shop.config.queuePrefix });
  worlds.push(world);
  return world;
}

const collectionsIn = ({ mongo }: World) => mongo.db.listCollections().toArray();

test('a restore begins only when no API drains charges', async () => {
  const api = await startApi(shop.context);
  const world = await emptyMongo();
  const drains = () => shop.credits.exists(`{${shop.creditsTag}}:drainer`);
  await expect.poll(drains, { timeout: 20_000 }).toBe(1);
  expect(await tidemark(world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('An API runs'),
  });
  expect(await collectionsIn(world)).toEqual([]);
  await api.close();
  expect(await tidemark(world, 'restore', dir)).toMatchObject({ code: 0 });
});

test('a restore begins only when no worker numbers events', async () => {
  const world = await emptyMongo();
  const prefix = bullPrefix(shop.config.queuePrefix);
  const worker = new Worker('sequence', async () => undefined, {
    connection: shop.queue.duplicate(),
    prefix,
  });
  await worker.waitUntilReady();
  expect(await tidemark(world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('A worker numbers events'),
  });
  expect(await collectionsIn(world)).toEqual([]);
  await worker.close();
});

test('a restore that ends before its fences leaves a home that every process refuses', async () => {
  const { mongo } = await emptyMongo();
  const beforeOpen = async () => {
    throw new Error('killed');
  };
  await expect(load(mongo.db, dir, { report: () => undefined, beforeOpen })).rejects.toThrow('killed');
  await expect(requireStoreVersion(mongo.db)).rejects.toMatchObject({ code: 'store_restoring' });
});

test('a key that was revoked or replaced since the backup stays so where Redis knows it', async () => {
  const [kept, revoked, replaced] = keys;
  if (kept === undefined || revoked === undefined || replaced === undefined) throw new Error('three keys');
  await revokeKey(shop.store, revoked.keyId);
  expect(await rotateKey(shop.store, replaced, 'day')).toMatchObject({ kind: 'rotated' });
  const end = (await findKey(shop.mongo.db, replaced.keyId))?.expiresAt;
  const world = await emptyMongo();
  expect(await tidemark(world, 'restore', dir)).toMatchObject({ code: 0 });
  const keyIn = ({ keyId }: { keyId: string }) => findKey(world.mongo.db, keyId);
  expect(await keyIn(kept)).toMatchObject({ revokedAt: null, expiresAt: null });
  expect(await keyIn(revoked)).toMatchObject({ revokedAt: expect.any(String) });
  expect(await keyIn(replaced)).toMatchObject({ revokedAt: null, expiresAt: end });
});
