import { expect, test } from 'vitest';
import { VOUCHER } from '../../src/credits/account/code.ts';
import { makeVouchers } from '../../src/credits/account/voucher.ts';
import { opened } from '../opened.ts';
import { openSite, type Site } from './open-connect.ts';
import { creditsOf, idOf, keyOn, signedUp, visitor } from './visitor.ts';

const site = opened(() => openSite({ SIGNUP: 'open' }));

test('keys, codes, cookies and form tokens are in no collection, no Redis key, no log line and no URL', async () => {
  const { who, key, seen } = await signedUp(site.origin);
  const minted = keyOn(await who.send('/connect/keys/mint', { label: 'x', kind: 'test' }));
  const rotated = keyOn(await who.send('/connect/keys/rotate', { key_id: idOf(key), overlap: 'day' }));
  await visitor(site.origin).send('/connect/sign-in', { key: rotated });
  await visitor(site.origin).send('/connect/sign-in', { key: `${rotated}x` });
  const [voucher] = await makeVouchers(site.store, { credits: 5, count: 1, expiresAt: null });
  const code = voucher?.code ?? '';
  await who.send('/connect/voucher', { code });
  await creditsOf(site.origin, rotated);
  const session = who.jar.get('tidemark') ?? '';
  const token = /name="form_token" value="([^"]+)"/.exec((await who.get('/connect')).text)?.[1] ?? '';
  const secrets = [key, minted, rotated].flatMap((one) => [one, one.slice(16, 48)]);
  const all = [...secrets, code, VOUCHER.read(code) ?? '', session, token];
  for (const secret of all) expect(secret.length).toBeGreaterThan(15);

  const kept = [await mongoDump(site), await redisDump(site), site.logged()].join('\n');
  expect(kept).toContain(idOf(key));
  for (const secret of all) expect(kept).not.toContain(secret);
  expect(seen.headers.get('location')).toBeNull();
});

test('a key typed in a wrong field is not shown on the page that refuses it', async () => {
  const { who, key } = await signedUp(site.origin);
  const wrong = [
    await visitor(site.origin).send('/connect/sign-up', { organisation: `My key: ${key}` }),
    await visitor(site.origin).send('/connect/sign-up', { organisation: `${key}${'x'.repeat(200)}` }),
    await who.send('/connect/watchlist', { tickers: `AAPL, ${key}`, ciks: '' }),
    await who.send('/connect/watchlist', { tickers: key, ciks: `320193 ${key}` }),
    await who.send('/connect/keys/mint', { label: key, kind: 'account' }),
    await who.send('/connect/voucher', { code: key }),
  ];
  for (const { status, text } of wrong) {
    expect(status).toBe(422);
    expect(text).not.toContain(key.slice(0, 20));
    expect(text).not.toContain(key.slice(16));
  }
});

async function mongoDump({ store: { db } }: Site): Promise<string> {
  const collections = await db.listCollections().toArray();
  const docs = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
  return JSON.stringify(docs, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** Every key of this world with its content, of whatever type. */
async function redisDump({ store: { redis, tag } }: Site): Promise<string> {
  const names = await redis.keys(`*${tag}*`);
  const parts = await Promise.all(
    names.map(async (name) => {
      const type = await redis.type(name);
      if (type === 'hash') return [name, await redis.hgetall(name)];
      if (type === 'stream') return [name, await redis.xrange(name, '-', '+')];
      return [name, type === 'string' ? await redis.get(name) : type];
    }),
  );
  return JSON.stringify(parts);
}
