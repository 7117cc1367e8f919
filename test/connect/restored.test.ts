import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { startApi } from '../../src/serve.ts';
import { findKey, keysIn } from '../../src/store/account/keys.ts';
import { tidemark } from '../cli/tidemark.ts';
import { ownFolder } from '../own-folder.ts';
import { openWorld, type World } from '../world.ts';
import { idOf, signedUp, visitor } from './visitor.ts';

const SETTINGS = { PORT: '0', TRUST_PROXY: '1', SHED_LOOP_DELAY_MS: '0' };

let shop: World;
const folder = ownFolder('restored');
const worlds: World[] = [];

beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  for (const world of worlds.reverse()) await world.close();
});

async function openShop(settings: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await openWorld({ ...SETTINGS, ...settings });
  worlds.push(world);
  return world;
}

async function startSite({ context }: World) {
  const { port, close } = await startApi(context);
  return { origin: `http://127.0.0.1:${port}`, close };
}

/** 303 with an account, 422 without. */
async function signIn(origin: string, key: string): Promise<number> {
  return (await visitor(origin).send('/connect/sign-in', { key })).status;
}

test('a restored backup opens accounts with the keys that are valid, and not with one revoked since', async () => {
  const before = await startSite(shop);
  const [kept, revoked] = [await signedUp(before.origin), await signedUp(before.origin)];
  expect(await signIn(before.origin, revoked.key)).toBe(303);
  const copy = join(folder, 'copy');
  expect(await tidemark(shop, 'backup', copy)).toMatchObject({ code: 0 });
  await revokeKey(shop.store, idOf(revoked.key));
  await before.close();

  const home = await openShop({ CREDITS_TAG: shop.creditsTag });
  expect(await tidemark(home, 'restore', copy)).toMatchObject({ code: 0 });
  const after = await startSite(home);
  expect([await signIn(after.origin, kept.key), await signIn(after.origin, revoked.key)]).toEqual([303, 422]);
  const sessionOf = async ({ who }: typeof kept) => {
    const again = visitor(after.origin);
    for (const [name, value] of who.jar) again.jar.set(name, value);
    return (await again.get('/connect')).text;
  };
  // Sessions are in the Redis that survived.
  expect(await sessionOf(kept)).toContain(`<h1>${kept.name}</h1>`);
  expect(await sessionOf(revoked)).not.toContain('Sign out');
  await after.close();
});

test('keys that MongoDB has as of before their revocation open nothing after `credits fence`', async () => {
  const site = await startSite(shop);
  const [kept, revoked] = [await signedUp(site.origin), await signedUp(site.origin)];
  const keyId = idOf(revoked.key);
  await revokeKey(shop.store, keyId);
  // What a snapshot of the volume brings back.
  await keysIn(shop.mongo.db).updateOne({ _id: keyId }, { $set: { revokedAt: null } });
  expect(await signIn(site.origin, revoked.key)).toBe(303);
  expect(await tidemark(shop, 'credits', 'fence')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 keys that Redis knows as revoked or replaced'),
  });
  expect([await signIn(site.origin, kept.key), await signIn(site.origin, revoked.key)]).toEqual([303, 422]);
  expect(await findKey(shop.mongo.db, keyId)).toMatchObject({ revokedAt: expect.any(String) });
  const again = await tidemark(shop, 'credits', 'fence');
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('revoked') });
  await site.close();
});
