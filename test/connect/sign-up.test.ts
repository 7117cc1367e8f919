import { describe, expect, test } from 'vitest';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { findOrganizationByName } from '../../src/store/account/organizations.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { creditsOf, hiddenOf, keyOn, type Seen, signedUp, visitor } from './visitor.ts';

const site = opened(openSite);

describe('signing up', () => {
  test('shows a key that works at once, with the credits of a new organisation', async () => {
    const { key, seen } = await signedUp(site.origin);
    expect(seen.status).toBe(201);
    expect(seen.headers.get('cache-control')).toBe('no-store');
    expect(await creditsOf(site.origin, key)).toEqual({ status: 200, balance: 1_000 });
  });

  test('shows the key once: the account shows only its id', async () => {
    const { who, key } = await signedUp(site.origin);
    const account = await who.get('/connect');
    expect(account.status).toBe(200);
    expect(account.text).toContain(`tm_live_${key.slice(8, 16)}…`);
    expect(account.text).not.toContain(key.slice(16));
  });

  test('sent again, as a reload does, says that the key was shown, and makes nothing', async () => {
    const who = visitor(site.origin);
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/sign-up');
    const fields = { ...hidden, organisation: 'Reloaded' };
    expect((await who.post('/connect/sign-up', fields)).status).toBe(201);
    const again = await who.post('/connect/sign-up', fields);
    expect(again.headers.get('location')).toBe('/connect?done=sent_before');
    const account = (await who.get('/connect?done=sent_before')).text;
    expect(account).toContain('That form was sent before');
    expect(account).toContain('1 of at most 20 valid keys');
  });

  test('of one address may be reloaded after its last one', async () => {
    const who = visitor(site.origin, '203.0.113.10');
    let fields: Record<string, string> = {};
    for (let at = 0; at < 5; at += 1) {
      who.jar.clear();
      const hidden = hiddenOf((await who.get('/connect')).text, '/connect/sign-up');
      fields = { ...hidden, organisation: `Reload ${at}` };
      expect((await who.post('/connect/sign-up', fields)).status).toBe(201);
    }
    for (let at = 0; at < 40; at += 1) {
      const again = await who.post('/connect/sign-up', fields);
      expect(again.headers.get('location')).toBe('/connect?done=sent_before');
    }
  });

  test('does not join an organisation by its name, and grants nothing', async () => {
    const { key, name } = await signedUp(site.origin);
    for (const again of [name, `  ${name.replace(' ', '   ')} `]) {
      const seen = await visitor(site.origin).send('/connect/sign-up', { organisation: again });
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('An organisation of that name already exists');
      expect(seen.text).not.toMatch(/tm_live_[0-9A-Za-z]{46}/);
    }
    expect((await creditsOf(site.origin, key)).balance).toBe(1_000);
  });

  test('in parallel for one name makes one organisation with one grant', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () =>
        visitor(site.origin).send('/connect/sign-up', { organisation: 'At once' }),
      ),
    );
    const made = all.filter((seen) => seen.status === 201);
    expect(made).toHaveLength(1);
    expect((await creditsOf(site.origin, keyOn(made[0] as (typeof made)[0]))).balance).toBe(1_000);
  });

  test('refuses an invalid name, with the rule at the field', async () => {
    for (const organisation of ['', 'x', '  ', '!!', 'a\u202eb', 'n'.repeat(101)]) {
      const seen = await visitor(site.origin).send('/connect/sign-up', { organisation });
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('aria-invalid="true" aria-describedby="organisation-fault"');
    }
  });

  test('shows a name with markup as text everywhere', async () => {
    const organisation = `<img src=x onerror="alert(1)"> & 'sons'`;
    const who = visitor(site.origin);
    expect((await who.send('/connect/sign-up', { organisation })).status).toBe(201);
    const account = await who.get('/connect');
    expect(account.text).not.toContain('<img');
    expect(account.text).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; &#39;sons&#39;');
    const taken = await visitor(site.origin).send('/connect/sign-up', { organisation });
    expect(taken.text).not.toContain('<img');
    expect(taken.text).toContain('value="&lt;img');
  });

  test('for a sixth organisation of one address within the hour is 429 and makes nothing', async () => {
    const who = visitor(site.origin, '203.0.113.9');
    for (let at = 0; at < 5; at += 1) {
      who.jar.clear();
      expect((await who.send('/connect/sign-up', { organisation: `Flood ${at}` })).status).toBe(201);
    }
    who.jar.clear();
    const seen = await who.send('/connect/sign-up', { organisation: 'Flood 5' });
    expect(seen.status).toBe(429);
    expect(Number(seen.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await findOrganizationByName(site.world.mongo.db, 'Flood 5')).toBeNull();
  });

  test('with taken names does not use up the organisations of an address', async () => {
    const { name } = await signedUp(site.origin);
    const who = visitor(site.origin);
    for (let at = 0; at < 6; at += 1) {
      expect((await who.send('/connect/sign-up', { organisation: name })).status).toBe(422);
    }
    expect((await who.send('/connect/sign-up', { organisation: 'Not taken' })).status).toBe(201);
  });
});

describe('sign-up as the operator set it', () => {
  test('closed: there is no form, and posting one makes nothing', async () => {
    const closed = await openSite({ SIGNUP: 'closed' });
    try {
      const who = visitor(closed.origin);
      const page = await who.get('/connect');
      expect(page.text).toContain('Sign-up is closed');
      expect(page.text).not.toContain('action="/connect/sign-up"');
      const token = /name="form_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const seen = await who.post('/connect/sign-up', { form_token: token, organisation: 'Closed out' });
      expect(seen.status).toBe(403);
      expect(await findOrganizationByName(closed.world.mongo.db, 'Closed out')).toBeNull();
    } finally {
      await closed.close();
    }
  });

  test('beyond the free credits of all together an organisation begins with 0 credits, and reads so', async () => {
    const poor = await openSite({ SIGNUP_CREDITS: '10', SIGNUP_CREDITS_PER_DAY: '25' });
    try {
      const send = (organisation: string) => visitor(poor.origin).send('/connect/sign-up', { organisation });
      // A taken name costs nothing.
      const seen = [];
      for (const name of ['Spent 1', 'Spent 1', 'Spent 2', 'Spent 3']) seen.push(await send(name));
      expect(seen.map(({ status }) => status)).toEqual([201, 422, 201, 201]);
      const begin = seen.map(({ text }) => text.includes('begins with 0 credits'));
      expect(begin).toEqual([false, false, false, true]);
      const balances = [];
      for (const one of [0, 2, 3])
        balances.push((await creditsOf(poor.origin, keyOn(seen[one] as Seen))).balance);
      expect(balances).toEqual([10, 10, 0]);
      expect(poor.logged()).toContain('no free credits are left');
    } finally {
      await poor.close();
    }
  });

  test('the free credits come back by the hour', async () => {
    const poor = await openSite({ SIGNUP_CREDITS: '10', SIGNUP_CREDITS_PER_DAY: '480' });
    try {
      const { limit } = redisKeys(poor.store.tag);
      await poor.store.redis.set(`${limit('free_credits')}:all`, '240', 'EX', 80_000);
      const balances = [];
      for (const organisation of ['First of the hour', 'Second of the hour']) {
        const made = await visitor(poor.origin).send('/connect/sign-up', { organisation });
        balances.push((await creditsOf(poor.origin, keyOn(made))).balance);
      }
      expect(balances).toEqual([10, 0]);
      const seconds = await poor.store.redis.ttl(`${limit('free_credits_hour')}:all`);
      expect(seconds).toBeGreaterThan(3_500);
      expect(seconds).toBeLessThanOrEqual(3_600);
    } finally {
      await poor.close();
    }
  });

  test('invite: who empties the free credits of one code empties no other', async () => {
    const codes = { SIGNUP: 'invite', INVITE_CODES: 'first-code, second-code' };
    const invited = await openSite({ ...codes, SIGNUP_CREDITS: '10', SIGNUP_CREDITS_PER_DAY: '10' });
    try {
      const balances = [];
      for (const invite of ['first-code', 'first-code', 'second-code']) {
        const organisation = `Invited ${balances.length}`;
        const made = await visitor(invited.origin).send('/connect/sign-up', { organisation, invite });
        balances.push((await creditsOf(invited.origin, keyOn(made))).balance);
      }
      expect(balances).toEqual([10, 0, 10]);
    } finally {
      await invited.close();
    }
  });

  test('invite: only a code of the list is accepted; credits as set', async () => {
    const settings = { SIGNUP: 'invite', INVITE_CODES: 'first-code, second-code', SIGNUP_CREDITS: '0' };
    const invited = await openSite(settings);
    try {
      const send = (invite: string, organisation: string) =>
        visitor(invited.origin).send('/connect/sign-up', { organisation, invite });
      for (const invite of ['', 'third-code', 'first-code, second-code']) {
        const refused = await send(invite, 'Uninvited');
        expect(refused.status).toBe(422);
        expect(refused.text).toContain('This invite code is not valid.');
      }
      const made = await send(' second-code ', 'Invited');
      expect(made.status).toBe(201);
      expect(await creditsOf(invited.origin, keyOn(made))).toEqual({ status: 200, balance: 0 });
    } finally {
      await invited.close();
    }
  });
});
