import { describe, expect, test } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { type Rotated, rotateKey } from '../../src/credits/account/key-life.ts';
import { isLive, keysOf } from '../../src/store/account/keys.ts';
import { PEPPER } from '../world.ts';
import { account, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

const liveOf = async (orgId: string) =>
  (await keysOf(world.mongo.db, orgId)).filter((key) => isLive(key, Date.now()));

function madeOf(all: readonly Rotated[]) {
  return all.flatMap((one) => (one.kind === 'rotated' ? [one.added] : []));
}

describe('of many parallel rotations of one key', () => {
  test('one makes a key: the old one and the new one work, and no other is kept', async () => {
    const who = await account(100);
    const all = await Promise.all(Array.from({ length: 5 }, () => rotateKey(store(), who, 'week')));
    const [made, ...more] = madeOf(all);
    expect(more).toEqual([]);
    expect(all.filter((one) => one.kind === 'not_rotatable')).toHaveLength(4);
    const kept = await keysOf(world.mongo.db, who.orgId);
    expect(kept.map((key) => key._id).sort()).toEqual([who.keyId, made?.doc._id].sort());
    expect(await liveOf(who.orgId)).toHaveLength(2);
    const fresh = { ...who, keyId: made?.doc._id ?? '', digest: digestOf(made?.key ?? '', PEPPER) };
    for (const key of [who, fresh]) expect((await wallet.charge(key, call(1))).kind).toBe('charged');
  });

  test('that end it now one makes a key, and only that key works', async () => {
    const who = await account(100);
    const made = madeOf(await Promise.all(Array.from({ length: 5 }, () => rotateKey(store(), who, 'now'))));
    expect(made).toHaveLength(1);
    expect((await liveOf(who.orgId)).map((key) => key._id)).toEqual([made[0]?.doc._id]);
    expect((await wallet.charge(who, call(1))).kind).toBe('unauthorized');
  });

  test('of both kinds one makes a key', async () => {
    const who = await account(100);
    const kinds = ['now', 'week', 'day', 'now', 'week'] as const;
    const made = madeOf(await Promise.all(kinds.map((overlap) => rotateKey(store(), who, overlap))));
    expect(made).toHaveLength(1);
    expect(await keysOf(world.mongo.db, who.orgId)).toHaveLength(2);
  });
});
