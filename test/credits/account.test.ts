import { describe, expect, test } from 'vitest';
import { rememberAccounts } from '../../src/credits/account/accounts.ts';
import { openGate } from '../../src/credits/account/gate.ts';
import { digestOf, makeKey } from '../../src/credits/account/key.ts';
import { createKey, listKeys, revokeKey } from '../../src/credits/account/key-life.ts';
import { addKey } from '../../src/credits/account/key-mint.ts';
import { applyGrants, applyPendingGrants, grantCredits } from '../../src/credits/grant.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { UsageError } from '../../src/errors.ts';
import { appendGrant, orgsWithPendingGrants } from '../../src/store/account/grants.ts';
import { keysIn } from '../../src/store/account/keys.ts';
import {
  findOrganizationByName,
  insertOrganization,
  newOrgId,
} from '../../src/store/account/organizations.ts';
import { PEPPER } from '../world.ts';
import { account, balanceOf, call, store, useWalletWorld, wallet, world } from './use-wallet-world.ts';

useWalletWorld();

describe('keys', () => {
  test('a wrong digest and another organisation are unauthorized; an unknown record is reported as such', async () => {
    const who = await account(100);
    const other = await account(100);
    expect((await wallet.charge({ ...who, digest: digestOf(makeKey().key, PEPPER) }, call(1))).kind).toBe(
      'unauthorized',
    );
    expect((await wallet.charge({ ...who, orgId: other.orgId }, call(1))).kind).toBe('unauthorized');
    expect((await wallet.charge({ ...who, keyId: 'nobody00' }, call(1))).kind).toBe('unknown_key');
  });

  test('a revoked key is refused at once, also by a process that knew it', async () => {
    const who = await account(100);
    expect((await wallet.charge(who, call(1))).kind).toBe('charged');
    await revokeKey(store(), who.keyId);
    expect((await wallet.charge(who, call(1))).kind).toBe('unauthorized');
    expect((await wallet.open(who, call(1), false)).kind).toBe('unauthorized');
    expect((await keysIn(world.mongo.db).findOne({ _id: who.keyId }))?.revokedAt).not.toBeNull();
  });

  test('a key whose record Redis lost opens its call, although a call beside it forgets the account', async () => {
    const who = await account(100);
    const known = rememberAccounts({ db: world.mongo.db, now: store().now });
    const forgetful = {
      ...known,
      find: async (secret: Parameters<typeof known.find>[0]) => {
        const found = await known.find(secret);
        known.forget(secret.keyId);
        return found;
      },
    };
    const gate = openGate({ store: store(), wallet, accounts: forgetful });
    await world.credits.del(redisKeys(world.creditsTag).key(who.keyId));
    const opened = await gate.open({ ...who, mode: 'live' }, call(1), false);
    expect(opened?.result.kind).toBe('open');
  });

  test('the first call of an organisation of which Redis lost all opens, with the balance of the ledger', async () => {
    const who = await account(100);
    const { key, org } = redisKeys(world.creditsTag);
    await world.credits.del(key(who.keyId), org(who.orgId));
    const accounts = rememberAccounts({ db: world.mongo.db, now: store().now });
    const gate = openGate({ store: store(), wallet, accounts });
    const opened = await gate.open({ ...who, mode: 'live' }, call(1), false);
    expect(opened?.result).toMatchObject({ kind: 'open', balance: 100 });
  });

  test('a key whose id is taken gets another one', async () => {
    const who = await account(3);
    const ids = [who.keyId, 'nobody01'];
    const wanted = { orgId: who.orgId, label: 'second', mode: 'live' } as const;
    const { doc } = await addKey(store(), wanted, () => ids.shift() ?? '');
    expect(doc._id).toBe('nobody01');
    expect(await keysIn(world.mongo.db).findOne({ _id: who.keyId })).toMatchObject({ label: 'k' });
  });

  test('the key itself is not stored', async () => {
    const who = await account(3);
    const record = JSON.stringify(await world.credits.hgetall(redisKeys(world.creditsTag).key(who.keyId)));
    const stored = JSON.stringify(await keysIn(world.mongo.db).findOne({ _id: who.keyId }));
    expect(record + stored).not.toContain(who.key);
    expect(record + stored).not.toContain(who.key.slice(16, 48));
  });

  test('a second key joins the organisation of that name and adds exactly its credits', async () => {
    const who = await account(10);
    const second = await createKey(store(), { orgName: who.orgName, credits: 5, label: 'second' });
    expect(second.orgId).toBe(who.orgId);
    expect(await balanceOf(who.orgId)).toBe(15);
    const listed = await listKeys(store(), who.orgName);
    expect(listed.map((key) => key.label)).toEqual(['k', 'second']);
  });

  test('a key without credits is authenticated and out of credits', async () => {
    const who = await account(0);
    expect(await wallet.charge(who, call(1))).toMatchObject({ kind: 'insufficient', balance: 0 });
  });

  test('keys made at once for one new name make one organisation', async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () => createKey(store(), { orgName: 'At once', credits: 10, label: '' })),
    );
    const [orgId = ''] = new Set(made.map((key) => key.orgId));
    expect(new Set(made.map((key) => key.orgId)).size).toBe(1);
    expect(await balanceOf(orgId)).toBe(50);
  });
});

describe('grants', () => {
  test('are applied in order and once, also when repeated', async () => {
    const who = await account(10);
    const org = { orgId: who.orgId, epoch: 1 };
    expect((await wallet.grant(org, { g: 1, amount: 10 })).kind).toBe('already');
    expect((await wallet.grant(org, { g: 3, amount: 10 })).kind).toBe('gap');
    expect(await wallet.grant(org, { g: 2, amount: 10 })).toEqual({ kind: 'applied', balance: 20 });
  });

  test('a grant that a crash left in MongoDB alone is found by its mark and applied, once', async () => {
    const who = await account(10);
    await appendGrant(world.mongo.db, { orgId: who.orgId, amount: 7, reason: 'crash', at: '' });
    const onFailure = (error: unknown) => expect.unreachable(String(error));
    await applyPendingGrants(store(), onFailure);
    await applyPendingGrants(store(), onFailure);
    expect(await balanceOf(who.orgId)).toBe(17);
    // The mark stays until the ledger has it.
    expect(await orgsWithPendingGrants(world.mongo.db, 10)).toContain(who.orgId);
    await drainLog(store());
    expect(await orgsWithPendingGrants(world.mongo.db, 10)).not.toContain(who.orgId);
  });

  test('concurrent grants all count', async () => {
    const who = await account(0);
    await Promise.all(
      Array.from({ length: 8 }, () => grantCredits(store(), { org: who.orgId, amount: 3, reason: 'r' })),
    );
    const org = await findOrganizationByName(world.mongo.db, who.orgName);
    expect(org === null ? -1 : await applyGrants(store(), org)).toBe(24);
  });

  test('an unknown organisation and an amount that is not a whole number are refused', async () => {
    const who = await account(0);
    await expect(grantCredits(store(), { org: 'nobody', amount: 1, reason: '' })).rejects.toThrow(
      /no organisation/,
    );
    for (const amount of [-1, 1.5, Number.NaN, 2e9]) {
      await expect(grantCredits(store(), { org: who.orgId, amount, reason: '' })).rejects.toThrow(
        /whole number/,
      );
    }
  });
});

describe('an organisation whose name is the id of another one', () => {
  test('gets neither its grants nor its keys, and is not shown instead of it', async () => {
    const who = await account(10);
    const squatter = { _id: newOrgId(), name: who.orgId, epoch: 1, createdAt: '2018-11-30T00:00:00Z' };
    await insertOrganization(world.mongo.db, squatter);
    const granted = await grantCredits(store(), { org: who.orgId, amount: 5, reason: 'operator' });
    expect(granted).toEqual({ orgId: who.orgId, orgName: who.orgName, balance: 15 });
    const made = await createKey(store(), { orgName: who.orgId, credits: 1, label: 'second' });
    expect(made).toMatchObject({ orgId: who.orgId, orgName: who.orgName, isNewOrg: false });
    expect((await listKeys(store(), who.orgId)).map((key) => key.label)).toEqual(['k', 'second']);
    expect([await balanceOf(who.orgId), await balanceOf(squatter._id)]).toEqual([16, 0]);
  });

  test('is not made', async () => {
    const orgName = newOrgId();
    await expect(createKey(store(), { orgName, credits: 1, label: '' })).rejects.toThrow(UsageError);
    expect(await findOrganizationByName(world.mongo.db, orgName)).toBeNull();
  });
});

test('a key refused for its credits leaves no organisation behind', async () => {
  for (const credits of [9_999_999_999, -1, 0.5]) {
    await expect(createKey(store(), { orgName: 'Ghost', credits, label: 'k' })).rejects.toThrow(UsageError);
  }
  expect(await findOrganizationByName(world.mongo.db, 'Ghost')).toBeNull();
});
