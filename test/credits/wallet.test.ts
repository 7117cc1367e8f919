import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyGrants, grantCredits, reconcileGrants } from '../../src/credits/grant.ts';
import { digestOf, makeKey } from '../../src/credits/key.ts';
import { createKey, listKeys, revokeKey } from '../../src/credits/key-life.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { type Call, type Credential, openWallet, type Wallet } from '../../src/credits/wallet.ts';
import { UsageError } from '../../src/errors.ts';
import { appendGrant } from '../../src/store/grants.ts';
import { keysIn } from '../../src/store/keys.ts';
import { findOrganizationByName } from '../../src/store/organizations.ts';
import { openWorld, type World } from '../world.ts';

const PEPPER = 'a pepper for tests only';
let world: World;
let wallet: Wallet;
let counter = 0;

beforeAll(async () => {
  world = await openWorld();
  wallet = openWallet(world.credits, redisKeys(world.creditsTag), { exposureCap: 0 });
});
afterAll(() => world.close());

const store = () => ({
  db: world.mongo.db,
  redis: world.credits,
  tag: world.creditsTag,
  pepper: PEPPER,
});

async function account(credits: number): Promise<Credential & { key: string; orgName: string }> {
  counter += 1;
  const orgName = `Wallet ${counter}`;
  const { key, keyId, orgId } = await createKey(store(), { orgName, credits, label: 'k' });
  return { key, keyId, orgId, orgName, epoch: 1, digest: digestOf(key, PEPPER) };
}

function call(cost: number, rest: Partial<Call> = {}): Call {
  counter += 1;
  const attempt = rest.attempt ?? `a-${counter}`;
  return { cost, tool: 'test', attempt, request: attempt, fingerprint: '', ...rest };
}

const balanceOf = async (orgId: string): Promise<number> =>
  Number(await world.credits.hget(redisKeys(world.creditsTag).org(orgId), 'bal'));

describe('charge', () => {
  test('takes the cost and answers the new balance', async () => {
    const who = await account(25);
    expect(await wallet.charge(who, call(10))).toEqual({ kind: 'charged', balance: 15 });
    expect(await wallet.charge(who, call(10))).toEqual({ kind: 'charged', balance: 5 });
    expect(await wallet.charge(who, call(10))).toEqual({ kind: 'insufficient', balance: 5 });
    expect(await balanceOf(who.orgId)).toBe(5);
  });

  test('200 parallel charges on a balance for 37 take exactly 37', async () => {
    const who = await account(370);
    const results = await Promise.all(Array.from({ length: 200 }, () => wallet.charge(who, call(10))));
    expect(results.filter((result) => result.kind === 'charged')).toHaveLength(37);
    expect(results.filter((result) => result.kind === 'insufficient')).toHaveLength(163);
    expect(await balanceOf(who.orgId)).toBe(0);
  });

  test('the same attempt sent again is charged once and says charged both times', async () => {
    const who = await account(100);
    const once = call(10);
    expect(await wallet.charge(who, once)).toEqual({ kind: 'charged', balance: 90 });
    expect(await wallet.charge(who, once)).toEqual({ kind: 'charged', balance: 90 });
  });

  test('a request paid before is replayed free five times, then exhausted', async () => {
    const who = await account(100);
    const named = { request: 'i-replayed', fingerprint: 'f1' };
    await wallet.charge(who, call(10, named));
    for (let replay = 0; replay < 5; replay += 1) {
      expect(await wallet.charge(who, call(10, named))).toEqual({ kind: 'replayed', balance: 90 });
    }
    expect(await wallet.charge(who, call(10, named))).toEqual({ kind: 'exhausted', balance: 90 });
    expect((await wallet.open(who, call(10, named), true)).kind).toBe('exhausted');
  });

  test('the same request with another fingerprint is a mismatch', async () => {
    const who = await account(100);
    await wallet.charge(who, call(10, { request: 'i-mismatch', fingerprint: 'f1' }));
    const other = call(10, { request: 'i-mismatch', fingerprint: 'f2' });
    expect((await wallet.charge(who, other)).kind).toBe('mismatch');
    expect((await wallet.open(who, other, true)).kind).toBe('mismatch');
  });

  test.each([0, -1, 1001, 1.5, Number.NaN, 1e21])(
    'a cost of %s is refused before any write',
    async (cost) => {
      const who = await account(100);
      expect((await wallet.charge(who, call(cost))).kind).toBe('malformed');
      expect(await balanceOf(who.orgId)).toBe(100);
    },
  );

  test('another epoch is fenced off, an organisation without one is not opened', async () => {
    const who = await account(100);
    expect((await wallet.charge({ ...who, epoch: 2 }, call(10))).kind).toBe('fenced');
    await world.credits.del(redisKeys(world.creditsTag).org(who.orgId));
    expect((await wallet.charge(who, call(10))).kind).toBe('not_opened');
  });

  test('with a cap on what is not yet in Mongo the charge beyond it is refused', async () => {
    const capped = openWallet(world.credits, redisKeys(world.creditsTag), { exposureCap: 25 });
    const who = await account(100);
    const kinds = [];
    for (let n = 0; n < 3; n += 1) kinds.push((await capped.charge(who, call(10))).kind);
    expect(kinds).toEqual(['charged', 'charged', 'lagging']);
  });

  test('a log that cannot be written leaves balance and request as they were', async () => {
    const keys = redisKeys(`${world.creditsTag}-broken`);
    const broken = openWallet(world.credits, keys, { exposureCap: 0 });
    const who = { keyId: 'abcdefgh', orgId: 'organisation', epoch: 1, digest: 'd' };
    await world.credits.hset(keys.key(who.keyId), { d: 'd', o: who.orgId });
    await world.credits.hset(keys.org(who.orgId), { epoch: 1, bal: 50, n: 1, und: 0, g: 1 });
    await world.credits.set(keys.log, 'not a stream');
    const once = call(10);
    await expect(broken.charge(who, once)).rejects.toThrow(/WRONGTYPE/);
    expect(await world.credits.hget(keys.org(who.orgId), 'bal')).toBe('50');
    await world.credits.del(keys.log);
    expect(await broken.charge(who, once)).toEqual({ kind: 'charged', balance: 40 });
  });

  test('every change of a balance is one entry of a chain that adds up', async () => {
    const who = await account(50);
    await wallet.charge(who, call(10));
    const voided = call(7);
    await wallet.charge(who, voided);
    await wallet.void(who, voided);
    await grantCredits(store(), { org: who.orgName, amount: 5, reason: 'more' });
    const entries = await world.credits.xrange(redisKeys(world.creditsTag).log, '-', '+');
    const chain = entries
      .map(([, fields]) => Object.fromEntries(pairs(fields)))
      .filter((entry) => entry['org'] === who.orgId);
    expect(chain.map((entry) => [entry['kind'], Number(entry['n']), Number(entry['delta'])])).toEqual([
      ['grant', 1, 50],
      ['charge', 2, -10],
      ['charge', 3, -7],
      ['void', 4, 7],
      ['grant', 5, 5],
    ]);
    let balance = 0;
    for (const entry of chain) {
      balance += Number(entry['delta']);
      expect(Number(entry['balance_after'])).toBe(balance);
    }
    expect(balance).toBe(await balanceOf(who.orgId));
  });
});

function pairs(flat: string[]): [string, string][] {
  return flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []));
}

describe('void', () => {
  test('credits a charge back once', async () => {
    const who = await account(100);
    const lost = call(10);
    await wallet.charge(who, lost);
    expect(await wallet.void(who, lost)).toBe('voided');
    expect(await wallet.void(who, lost)).toBe('already');
    expect(await balanceOf(who.orgId)).toBe(100);
  });

  test('before the charge arrives it leaves a tombstone that refuses it', async () => {
    const who = await account(100);
    const late = call(10);
    expect(await wallet.void(who, late)).toBe('tombstone');
    expect((await wallet.charge(who, late)).kind).toBe('voided');
    expect(await balanceOf(who.orgId)).toBe(100);
  });

  test('after a void the same request is charged anew by another attempt', async () => {
    const who = await account(100);
    const named = { request: 'i-again', fingerprint: 'f' };
    const lost = call(10, named);
    await wallet.charge(who, lost);
    await wallet.void(who, lost);
    expect(await wallet.charge(who, call(10, named))).toEqual({ kind: 'charged', balance: 90 });
  });

  test('a charge whose answer a replay has delivered is not taken back', async () => {
    const who = await account(100);
    const named = { request: 'i-delivered', fingerprint: 'f' };
    const first = call(10, named);
    await wallet.charge(who, first);
    await wallet.charge(who, call(10, named));
    expect(await wallet.void(who, first)).toBe('none');
    expect(await balanceOf(who.orgId)).toBe(90);
  });
});

describe('open', () => {
  test('claims a request so that a concurrent attempt conflicts until it is released', async () => {
    const who = await account(100);
    const named = { request: 'i-claimed', fingerprint: 'f' };
    const first = call(10, named);
    const second = call(10, named);
    expect((await wallet.open(who, first, true)).kind).toBe('open');
    expect((await wallet.open(who, second, true)).kind).toBe('conflict');
    expect((await wallet.charge(who, second)).kind).toBe('conflict');
    await wallet.release(who, second);
    expect((await wallet.open(who, second, true)).kind).toBe('conflict');
    await wallet.release(who, first);
    expect((await wallet.open(who, second, true)).kind).toBe('open');
    expect((await wallet.charge(who, second)).kind).toBe('charged');
  });

  test('charges nothing and says when the balance is too small', async () => {
    const who = await account(9);
    expect(await wallet.open(who, call(10), false)).toEqual({ kind: 'insufficient', balance: 9 });
    expect(await wallet.open(who, call(0), false)).toEqual({ kind: 'open', balance: 9 });
  });
});

describe('keys', () => {
  test('a wrong digest, another organisation and an unknown record are told apart', async () => {
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

  test('the key itself is stored nowhere', async () => {
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

  test('a key without credits can be called and is out of credits', async () => {
    const who = await account(0);
    expect(await wallet.charge(who, call(1))).toEqual({ kind: 'insufficient', balance: 0 });
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
  test('are applied in order and once, whatever is repeated', async () => {
    const who = await account(10);
    const org = { orgId: who.orgId, epoch: 1 };
    expect((await wallet.grant(org, { g: 1, amount: 10 })).kind).toBe('already');
    expect((await wallet.grant(org, { g: 3, amount: 10 })).kind).toBe('gap');
    expect(await wallet.grant(org, { g: 2, amount: 10 })).toEqual({ kind: 'applied', balance: 20 });
  });

  test('a grant that is only in Mongo is applied by the next start, once', async () => {
    const who = await account(10);
    await appendGrant(world.mongo.db, { orgId: who.orgId, amount: 7, reason: 'crash', at: '' });
    await reconcileGrants(store());
    await reconcileGrants(store());
    expect(await balanceOf(who.orgId)).toBe(17);
  });

  test('concurrent grants all count', async () => {
    const who = await account(0);
    await Promise.all(
      Array.from({ length: 8 }, () => grantCredits(store(), { org: who.orgId, amount: 3, reason: 'r' })),
    );
    const org = await findOrganizationByName(world.mongo.db, who.orgName);
    expect(org === null ? -1 : await applyGrants(store(), org)).toBe(24);
  });

  test('an unknown organisation and an amount that is no whole number are refused', async () => {
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

test('a key refused for its credits leaves no organisation behind', async () => {
  for (const credits of [9_999_999_999, -1, 0.5]) {
    await expect(createKey(store(), { orgName: 'Ghost', credits, label: 'k' })).rejects.toThrow(UsageError);
  }
  expect(await findOrganizationByName(world.mongo.db, 'Ghost')).toBeNull();
});
