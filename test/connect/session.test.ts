import { describe, expect, test } from 'vitest';
import { openSessions } from '../../src/connect/sessions.ts';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { mintKey } from '../../src/credits/account/key-mint.ts';
import { expireKey } from '../credits/expire-key.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { hiddenOf, idOf, keyOn, signedUp, visitor } from './visitor.ts';

const site = opened(openSite);

async function signedIn(key: string) {
  const who = visitor(site.origin);
  const seen = await who.send('/connect/sign-in', { key });
  return { who, seen };
}

describe('a session', () => {
  test('begins with a key, by a strict cookie hidden from scripts, and leads to the account', async () => {
    const { key, name } = await signedUp(site.origin);
    const { who, seen } = await signedIn(`  ${key} `);
    expect(seen.status).toBe(303);
    expect(seen.headers.get('location')).toBe('/connect');
    expect(seen.text).toBe('');
    expect(seen.cookies.at(-1)).toMatch(
      /^tidemark=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await who.get('/connect')).text).toContain(`<h1>${name}</h1>`);
  });

  test('over https has cookies that are Secure and only for this host', async () => {
    const secure = await openSite({ SITE_URL: 'https://tidemark.test' });
    try {
      const who = visitor(secure.origin);
      const seen = await who.send('/connect/sign-up', { organisation: 'Secure' });
      expect(seen.status).toBe(201);
      for (const name of ['__Host-tidemark', '__Host-tidemark-form'])
        expect([...who.jar.keys()]).toContain(name);
      expect(seen.cookies.at(-1)).toMatch(/^__Host-tidemark=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    } finally {
      await secure.close();
    }
  });

  test('ends at once when its key is revoked elsewhere or expires', async () => {
    for (const end of ['revoke', 'expire']) {
      const { who, key } = await signedUp(site.origin);
      expect((await who.get('/connect')).text).toContain('Sign out');
      if (end === 'revoke') await revokeKey(site.store, idOf(key));
      else await expireKey(site.store.db, idOf(key), new Date().toISOString());
      const after = await who.get('/connect');
      expect(after.text).not.toContain('Sign out');
      expect(after.cookies.join()).toContain('tidemark=; Max-Age=0');
    }
  });

  test('ends with signing out: its cookie is no longer valid', async () => {
    const { who } = await signedUp(site.origin);
    const stolen = new Map(who.jar);
    const seen = await who.send('/connect/sign-out', {});
    expect(seen.headers.get('location')).toBe('/connect?done=signed_out');
    expect((await who.get('/connect?done=signed_out')).text).toContain('You are signed out.');
    const thief = visitor(site.origin);
    for (const [name, value] of stolen) thief.jar.set(name, value);
    expect((await thief.get('/connect')).text).not.toContain('Sign out');
  });

  test('lasts twelve hours in Redis, under a name that does not reveal the cookie', async () => {
    const { who } = await signedUp(site.origin);
    const token = who.jar.get('tidemark') ?? '';
    const names = await site.store.redis.keys(`{${site.store.tag}}:s:*`);
    expect(names.join()).not.toContain(token);
    const lives = await Promise.all(names.map((name) => site.store.redis.ttl(name)));
    expect(Math.max(...lives)).toBeLessThanOrEqual(12 * 3_600);
    expect(Math.min(...lives)).toBeGreaterThan(0);
  });

  test('that ended while its key was replaced stays ended', async () => {
    const { key } = await signedUp(site.origin);
    const orgId = await orgOf(idOf(key));
    const sessions = openSessions(site.store);
    const session = await sessions.begin({ _id: idOf(key), orgId });
    const next = idOf(await minted(orgId));
    await sessions.end(session.token);
    await sessions.move(session, next);
    expect(await sessions.find(session.token)).toBeNull();
    const going = await sessions.begin({ _id: idOf(key), orgId });
    await sessions.move(going, next);
    expect(await sessions.find(going.token)).toMatchObject({ keyId: next });
  });

  test('with a new sign-in gets a new token, for any cookie sent', async () => {
    const { key } = await signedUp(site.origin);
    const who = visitor(site.origin);
    who.jar.set('tidemark', 'A'.repeat(43));
    await who.send('/connect/sign-in', { key });
    expect(who.jar.get('tidemark')).not.toBe('A'.repeat(43));
  });
});

describe('no session', () => {
  test('begins with a wrong, a test, a revoked or an expired key; all get the same answer', async () => {
    const { who, key } = await signedUp(site.origin);
    const test = keyOn(await who.send('/connect/keys/mint', { label: 't', kind: 'test' }));
    const orgId = await orgOf(idOf(key));
    const [revoked, expired] = [await minted(orgId), await minted(orgId)];
    await revokeKey(site.store, idOf(revoked));
    await expireKey(site.store.db, idOf(expired), '2020-01-01T00:00:00.000Z');
    const texts = new Set<string>();
    for (const bad of ['', 'x', key.replace(/.$/, '?'), test, revoked, expired, key.toLowerCase()]) {
      const { seen } = await signedIn(bad);
      expect(seen.status).toBe(422);
      expect(seen.cookies.join()).not.toMatch(/^tidemark=[\w-]{43}/);
      if (bad.length > 8) expect(seen.text).not.toContain(bad.slice(16));
      texts.add(/class="field-error"[^>]*>([^<]*)</.exec(seen.text)?.[1] ?? '');
    }
    expect([...texts]).toEqual([expect.stringContaining('This key does not open an account')]);
  });

  test('after twenty tries of one address: 429, also with the right key', async () => {
    const { key } = await signedUp(site.origin);
    const who = visitor(site.origin);
    const page = await who.get('/connect');
    const hidden = hiddenOf(page.text, '/connect/sign-in');
    for (let at = 0; at < 20; at += 1) {
      expect((await who.post('/connect/sign-in', { ...hidden, key: 'wrong' })).status).toBe(422);
    }
    const refused = await who.post('/connect/sign-in', { ...hidden, key });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await signedIn(key)).seen.status).toBe(303);
  });
});

async function orgOf(keyId: string): Promise<string> {
  const key = await site.store.db.collection<{ _id: string; orgId: string }>('keys').findOne({ _id: keyId });
  return key?.orgId ?? '';
}

async function minted(orgId: string): Promise<string> {
  const made = await mintKey(site.store, { orgId, label: '', mode: 'live' });
  if (made.kind !== 'minted') throw new Error('there is room');
  return made.added.key;
}
