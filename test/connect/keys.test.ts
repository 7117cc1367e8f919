import { describe, expect, test } from 'vitest';
import { cacheKey } from '../../src/credits/account/key-record.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { findKey, keysOf } from '../../src/store/account/keys.ts';
import { organizationsIn } from '../../src/store/account/organizations.ts';
import { expireKey } from '../credits/expire-key.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { creditsOf, hiddenOf, idOf, keyOn, signedUp, visitor } from './visitor.ts';

const site = opened(openSite);

const status = async (key: string) => (await creditsOf(site.origin, key)).status;

describe('another key', () => {
  test('works next to the first one, on the same balance, under its label', async () => {
    const { who, key } = await signedUp(site.origin);
    const seen = await who.send('/connect/keys/mint', { label: ' Night <b>job</b> ', kind: 'account' });
    expect(seen.status).toBe(201);
    expect(await creditsOf(site.origin, keyOn(seen))).toEqual({ status: 200, balance: 1_000 });
    expect(await status(key)).toBe(200);
    const account = (await who.get('/connect')).text;
    expect(account).toContain('<h3>Night &lt;b&gt;job&lt;/b&gt;</h3>');
  });

  test('for tests has its own prefix and is stored as a test key', async () => {
    const { who } = await signedUp(site.origin);
    const key = keyOn(await who.send('/connect/keys/mint', { label: 'sandbox', kind: 'test' }));
    expect(key).toMatch(/^tm_test_/);
    expect(await findKey(site.store.db, idOf(key))).toMatchObject({ mode: 'test', label: 'sandbox' });
  });

  test('is made once by a form that is sent twice', async () => {
    const { who, key } = await signedUp(site.origin);
    const page = (await who.get('/connect')).text;
    const hidden = fieldsOf(page, 'keys/mint');
    expect((await who.post('/connect/keys/mint', { ...hidden, label: 'x' })).status).toBe(201);
    const again = await who.post('/connect/keys/mint', { ...hidden, label: 'x' });
    expect(again.headers.get('location')).toBe('/connect?done=sent_before');
    expect(await keysOf(site.store.db, await orgOf(key))).toHaveLength(2);
  });

  test('is at most the twentieth, for any number of parallel requests', async () => {
    const { who, key } = await signedUp(site.origin);
    const send = (at: number) => who.send('/connect/keys/mint', { label: `${at}` });
    for (let at = 0; at < 17; at += 1) expect((await send(at)).status).toBe(201);
    const last = await Promise.all([send(17), send(18), send(19)]);
    expect(last.filter((seen) => seen.status === 201).length).toBeLessThanOrEqual(2);
    expect((await keysOf(site.store.db, await orgOf(key))).length).toBeLessThanOrEqual(20);
  });

  test('with a label that is too long is not made, and the reason is shown at the field', async () => {
    const { who, key } = await signedUp(site.origin);
    const seen = await who.send('/connect/keys/mint', { label: 'x'.repeat(61), kind: 'account' });
    expect(seen.status).toBe(422);
    expect(seen.text).toContain('aria-describedby="new-label-fault"');
    expect(await keysOf(site.store.db, await orgOf(key))).toHaveLength(1);
  });

  test('of a form that is not of our page is refused, and leaves nothing in Redis', async () => {
    const { who } = await signedUp(site.origin);
    const form = fieldsOf((await who.get('/connect')).text, 'keys/mint');
    const before = await markers();
    for (const once of ['', 'x', `${form['once']}x`, `x${form['once']}`]) {
      expect((await who.post('/connect/keys/mint', { ...form, once, label: '' })).status).toBe(403);
    }
    expect(await markers()).toEqual(before);
  });

  test('more than twenty in an hour is 429, and leaves nothing in Redis', async () => {
    const { who, key } = await signedUp(site.origin);
    const { limit } = redisKeys(site.store.tag);
    await site.store.redis.set(`${limit('mint')}:${await orgOf(key)}`, '20', 'EX', 600);
    const before = await markers();
    const seen = await who.send('/connect/keys/mint', { label: '', kind: 'account' });
    expect(seen.status).toBe(429);
    expect(await markers()).toEqual(before);
    expect(Number(seen.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a label', () => {
  test('is changed in place', async () => {
    const { who, key } = await signedUp(site.origin);
    const seen = await who.send('/connect/keys/label', { key_id: idOf(key), label: 'Site 7' });
    expect(seen.headers.get('location')).toBe('/connect?done=labelled');
    expect((await findKey(site.store.db, idOf(key)))?.label).toBe('Site 7');
  });
});

describe('rotation', () => {
  test('keeps the old key valid until its end, and not longer', async () => {
    const { who, key } = await signedUp(site.origin);
    const seen = await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'day' });
    const fresh = keyOn(seen);
    expect([await status(key), await status(fresh)]).toEqual([200, 200]);
    const old = await findKey(site.store.db, idOf(key));
    const left = Date.parse(old?.expiresAt ?? '') - Date.now();
    expect(left / 3_600_000).toBeGreaterThan(23.9);
    expect(left / 3_600_000).toBeLessThanOrEqual(24);
    // The hour is brought near: what comes is what would have come a day later.
    const expiring = async (inMs: number): Promise<void> => {
      const near = await expireKey(site.store.db, idOf(key), new Date(Date.now() + inMs).toISOString());
      if (near === null) throw new Error('the key is there');
      await cacheKey(site.store.redis, redisKeys(site.store.tag), near);
    };
    await expiring(60_000);
    expect(await status(key)).toBe(200);
    await expiring(100);
    await expect.poll(() => status(key)).toBe(401);
    expect(await status(fresh)).toBe(200);
  });

  test('with a week of overlap lasts a week', async () => {
    const { who, key } = await signedUp(site.origin);
    await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'week' });
    const old = await findKey(site.store.db, idOf(key));
    const days = (Date.parse(old?.expiresAt ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
  });

  test('at once ends the old key, and a visitor who signed in with it stays signed in', async () => {
    const { who, key } = await signedUp(site.origin);
    const fresh = keyOn(await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'now' }));
    expect([await status(key), await status(fresh)]).toEqual([401, 200]);
    expect((await who.get('/connect')).text).toContain('signed in with it');
  });

  test('keeps label and mode', async () => {
    const { who } = await signedUp(site.origin);
    const key = keyOn(await who.send('/connect/keys/mint', { label: 'sandbox', kind: 'test' }));
    const fresh = keyOn(await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'now' }));
    expect(await findKey(site.store.db, idOf(fresh))).toMatchObject({ label: 'sandbox', mode: 'test' });
  });

  test('of a key that is being replaced, of a longer time or of another key is refused', async () => {
    const { who, key } = await signedUp(site.origin);
    const other = await signedUp(site.origin);
    const page = (await who.get('/connect')).text;
    const hidden = fieldsOf(page, 'keys/rotate');
    const send = (key_id: string, overlap: string) =>
      who.post('/connect/keys/rotate', { ...hidden, key_id, overlap });
    for (const overlap of ['month', '', 'constructor'])
      expect((await send(idOf(key), overlap)).status).toBe(422);
    expect((await send(idOf(other.key), 'now')).status).toBe(422);
    expect(await status(other.key)).toBe(200);
    expect((await send(idOf(key), 'day')).status).toBe(201);
    expect((await send(idOf(key), 'day')).headers.get('location')).toBe('/connect?done=sent_before');
    const fresh = fieldsOf((await who.get('/connect')).text, 'keys/rotate');
    const late = await who.post('/connect/keys/rotate', { ...fresh, key_id: idOf(key), overlap: 'week' });
    expect(late.status).toBe(422);
  });
});

describe('a key for calls only', () => {
  test('pays for calls and signs nobody in, also after a rotation', async () => {
    const { who, key } = await signedUp(site.origin);
    const made = keyOn(await who.send('/connect/keys/mint', { label: 'job', kind: 'calls' }));
    const fresh = keyOn(await who.send('/connect/keys/rotate', { key_id: idOf(made), overlap: 'week' }));
    expect((await who.get('/connect')).text).toContain('for calls only');
    for (const one of [made, fresh]) {
      expect(await status(one)).toBe(200);
      const seen = await visitor(site.origin).send('/connect/sign-in', { key: one });
      expect([seen.status, seen.text.includes('for calls only')]).toEqual([422, true]);
    }
    // It is no way in: the first key is still the last one.
    expect((await who.send('/connect/keys/revoke', { key_id: idOf(key) })).status).toBe(422);
  });
});

describe('a stolen key', () => {
  test('ends an older key only with the recovery code, neither by revoking nor by rotating it', async () => {
    const { who, key, seen } = await signedUp(site.origin);
    const code = /TMR(?:-[0-9A-Z]{4}){4}/.exec(seen.text)?.[0] ?? '';
    const stolen = keyOn(await who.send('/connect/keys/mint', { label: 'log', kind: 'account' }));
    const thief = visitor(site.origin);
    await thief.send('/connect/sign-in', { key: stolen });
    const [revoke, rotate] = ['/connect/keys/revoke', '/connect/keys/rotate'] as const;
    for (const wrong of ['', 'TMR-0000-0000-0000-0000']) {
      const tries = [
        await thief.send(revoke, { key_id: idOf(key), revoke_code: wrong }),
        await thief.send(rotate, { key_id: idOf(key), overlap: 'now', rotate_code: wrong }),
      ];
      for (const one of tries)
        expect([one.status, one.text.includes('not the recovery code')]).toEqual([422, true]);
    }
    expect(await status(key)).toBe(200);
    expect((await thief.send(revoke, { key_id: idOf(key), revoke_code: code })).status).toBe(303);
    expect(await status(key)).toBe(401);
  });

  test('ends no older key by what that was replaced by', async () => {
    const { who, key } = await signedUp(site.origin);
    const stolen = keyOn(await who.send('/connect/keys/mint', { label: 'log', kind: 'account' }));
    const thief = visitor(site.origin);
    await thief.send('/connect/sign-in', { key: stolen });
    const own = { key_id: idOf(key), overlap: 'now' };
    const replaced = keyOn(await who.send('/connect/keys/rotate', own));
    expect((await thief.send('/connect/keys/revoke', { key_id: idOf(replaced) })).status).toBe(422);
    expect((await who.send('/connect/keys/revoke', { key_id: idOf(stolen) })).status).toBe(303);
    expect(await status(replaced)).toBe(200);
  });

  test('that is the oldest ends no key that was made with the recovery code, nor what it was replaced by', async () => {
    const { who: thief, seen } = await signedUp(site.origin);
    const code = /TMR(?:-[0-9A-Z]{4}){4}/.exec(seen.text)?.[0] ?? '';
    const owner = visitor(site.origin);
    const recovered = keyOn(await owner.send('/connect/recover', { code }));
    const own = { key_id: idOf(recovered), overlap: 'now' };
    const replaced = keyOn(await owner.send('/connect/keys/rotate', own));
    for (const [form, field] of [
      ['/connect/keys/revoke', 'revoke_code'],
      ['/connect/keys/rotate', 'rotate_code'],
    ] as const) {
      const fields = { key_id: idOf(replaced), overlap: 'now', [field]: '' };
      expect((await thief.send(form, fields)).status).toBe(422);
    }
    expect((await thief.get('/connect')).text).toContain('because the key was made with it');
    expect(await status(replaced)).toBe(200);
    expect((await owner.send('/connect/keys/revoke', { key_id: idOf(replaced) })).status).toBe(303);
  });

  test('is ended by the older key alone', async () => {
    const { who } = await signedUp(site.origin);
    const stolen = keyOn(await who.send('/connect/keys/mint', { label: 'log', kind: 'account' }));
    expect((await who.send('/connect/keys/revoke', { key_id: idOf(stolen) })).status).toBe(303);
  });
});

describe('revocation', () => {
  test('is effective at the next call', async () => {
    const { who } = await signedUp(site.origin);
    const key = keyOn(await who.send('/connect/keys/mint', { label: '', kind: 'account' }));
    expect(await status(key)).toBe(200);
    const seen = await who.send('/connect/keys/revoke', { key_id: idOf(key) });
    expect(seen.headers.get('location')).toBe('/connect?done=revoked');
    expect(await status(key)).toBe(401);
    expect((await who.get('/connect')).text).toContain('Keys that have ended');
  });

  test('of the last live key needs its label, and says what is lost', async () => {
    const { who, key } = await signedUp(site.origin);
    await who.send('/connect/keys/mint', { label: '', kind: 'test' });
    expect((await who.get('/connect')).text).toContain('Type First key to revoke it');
    for (const confirm of ['', 'first key', idOf(key)]) {
      const seen = await who.send('/connect/keys/revoke', { key_id: idOf(key), confirm });
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('the 1,000 credits');
    }
    expect(await status(key)).toBe(200);
    const seen = await who.send('/connect/keys/revoke', { key_id: idOf(key), confirm: ' First key ' });
    expect(seen.headers.get('location')).toBe('/connect?done=revoked');
    expect(await status(key)).toBe(401);
  });

  test('of the last live key of an organisation without a recovery code says that all is lost', async () => {
    const { who, key } = await signedUp(site.origin);
    expect((await who.get('/connect')).text).toContain('only with the recovery code');
    // As of an organisation that was made at the command line.
    const { orgId } = (await findKey(site.world.mongo.db, idOf(key))) ?? { orgId: '' };
    await organizationsIn(site.world.mongo.db).updateOne({ _id: orgId }, { $unset: { recovery: '' } });
    expect((await who.get('/connect')).text).toContain(
      'are lost: there is no recovery code. Make one first.',
    );
  });

  test('of a key beside which only an ending one is left needs its label too', async () => {
    const { who, key } = await signedUp(site.origin);
    const fresh = keyOn(await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'day' }));
    expect((await who.send('/connect/keys/revoke', { key_id: idOf(fresh) })).status).toBe(422);
    const old = await who.send('/connect/keys/revoke', { key_id: idOf(key) });
    expect(old.headers.get('location')).toBe('/connect?done=revoked');
  });

  test('of the last two keys at once, from two tabs, leaves one', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { who, key } = await signedUp(site.origin);
      const other = keyOn(await who.send('/connect/keys/mint', { label: '', kind: 'account' }));
      const page = (await who.get('/connect')).text;
      await Promise.all(
        [key, other].map((one) =>
          who.post('/connect/keys/revoke', hiddenOf(page, '/connect/keys/revoke', idOf(one))),
        ),
      );
      expect([await status(key), await status(other)]).toContain(200);
    }
  });

  test("of the session's key signs out", async () => {
    const { who, key } = await signedUp(site.origin);
    await who.send('/connect/keys/mint', { label: 'another', kind: 'account' });
    const seen = await who.send('/connect/keys/revoke', { key_id: idOf(key) });
    expect(seen.cookies.join()).toContain('tidemark=; Max-Age=0');
    expect((await who.get('/connect')).text).not.toContain('Sign out');
  });

  test('and labels do not affect keys of another organisation', async () => {
    const [mine, other] = [await signedUp(site.origin), await signedUp(site.origin)];
    const page = (await mine.who.get('/connect')).text;
    for (const path of ['keys/revoke', 'keys/label']) {
      const fields = { ...fieldsOf(page, path), key_id: idOf(other.key), label: 'mine now' };
      const seen = await mine.who.post(`/connect/${path}`, fields);
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('Your organisation has no such key.');
    }
    expect(await findKey(site.store.db, idOf(other.key))).toMatchObject({
      label: 'First key',
      revokedAt: null,
    });
    expect(await status(other.key)).toBe(200);
  });
});

/** What Redis remembers of forms that were sent. */
const markers = async () => (await site.store.redis.keys(`{${site.store.tag}}:f:*`)).sort();

function fieldsOf(page: string, path: string): Record<string, string> {
  const form = new RegExp(`action="/connect/${path}">(.*?)</form>`, 's').exec(page)?.[1] ?? '';
  const hidden = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
}

async function orgOf(key: string): Promise<string> {
  return (await findKey(site.store.db, idOf(key)))?.orgId ?? '';
}
