import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { seedBrief } from '../api/corpus.ts';
import { apple, cik, LATEST, PRIOR, publish, seedSymbols, show } from '../api/stock-corpus.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { creditsOf, idOf, signedUp as signedUpOnce, type Visitor, visitor } from './visitor.ts';

const site = opened(openSite);
beforeAll(async () => {
  const { db } = site.world.mongo;
  await publish(db);
  await seedSymbols(db);
  await show(db, 1, { [PRIOR]: [apple(10_000n, 2_000n)], [LATEST]: [apple(25_000n, 5_000n)] });
});

/** As a reader does: a page that a busy machine answers with 503 costs nothing and is opened again. */
async function signedUp(origin: string): ReturnType<typeof signedUpOnce> {
  const signed = await signedUpOnce(origin);
  const get: Visitor['get'] = async (...page) => {
    for (;;) {
      const seen = await signed.who.get(...page);
      if (seen.status !== 503) return seen;
    }
  };
  return { ...signed, who: { ...signed.who, get } };
}

/** The address behind the button of a page, as the visitor presses it. */
async function buttonOn(who: Visitor, path: string, leadsTo = path): Promise<string> {
  const { text } = await who.get(path);
  const button = new RegExp(`href="(${leadsTo.replace('.', '\\.')}\\?pay=[^"]+)"`).exec(text);
  if (button === null) throw new Error(`no button to ${leadsTo} on ${path}`);
  return button[1] ?? '';
}

const balanceOf = async (key: string) => (await creditsOf(site.origin, key)).balance;

describe('a paid page', () => {
  test('names its price first, charges it once, and opens again for nothing', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    for (const [path, credits] of [
      ['/stocks/AAPL', 4],
      [`/funds/${cik(1)}`, 2],
    ] as const) {
      const offer = await who.get(path);
      expect([offer.status, offer.text.includes(`Open for ${credits} credits`)]).toEqual([200, true]);
    }
    expect(await balanceOf(key)).toBe(before);
    const button = await buttonOn(who, '/stocks/AAPL');
    const first = await who.get(button);
    expect([first.status, first.headers.get('x-credits-charged')]).toEqual([200, '4']);
    expect(first.text).toContain('Manager 1');
    expect(first.text).toContain('25,000');
    expect(first.text).toContain(`${LATEST}`);
    const again = await who.get(button);
    expect([again.status, again.headers.get('x-credits-charged')]).toEqual([200, '0']);
    expect(await balanceOf(key)).toBe(before - 4);
    const fund = await who.get(await buttonOn(who, `/funds/${cik(1)}`));
    expect([fund.status, fund.headers.get('x-credits-charged')]).toEqual([200, '2']);
    expect(await balanceOf(key)).toBe(before - 6);
  });

  test('is in the usage by day, key and call, also as CSV', async () => {
    const { who, key } = await signedUp(site.origin);
    await who.get(await buttonOn(who, '/stocks/AAPL'));
    await drainLog(site.store);
    expect((await who.get('/connect')).text).toContain('<code>page.stock</code>');
    const csv = await who.get('/connect/usage.csv');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const day = site.store.now().toISOString().slice(0, 10);
    expect(csv.text).toBe(`day,key_id,tool,calls,credits,voids\r\n${day},${idOf(key)},page.stock,1,4,0\r\n`);
    const stranger = await visitor(site.origin).get('/connect/usage.csv');
    expect([stranger.status, stranger.headers.get('location')]).toEqual([303, '/connect']);
  });

  test('has its table as a file, for nothing while it opens again for nothing', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    for (const [path, header, row] of [
      ['/stocks/AAPL', 'fund_name,fund_cik,', 'Manager 1'],
      [`/funds/${cik(1)}`, 'cusip,ticker,issuer,', 'AAPL'],
    ] as const) {
      const { text } = await who.get(await buttonOn(who, path));
      const [, link = ''] = /href="([^"]+as=csv)"/.exec(text) ?? [];
      const saved = await who.get(link.replaceAll('&amp;', '&'));
      const { headers } = saved;
      expect([saved.status, headers.get('x-credits-charged')]).toEqual([200, '0']);
      expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(headers.get('content-disposition')).toBe(
        `attachment; filename="tidemark${path.replaceAll('/', '-')}.csv"`,
      );
      const [first, second, ...rest] = saved.text.split('\r\n');
      expect([first?.startsWith(header), second?.includes(row), rest]).toEqual([true, true, ['']]);
    }
    expect(await balanceOf(key)).toBe(before - 6);
  });

  test('neither opens nor is saved for another site, even with the cookie of the visitor', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const button = await buttonOn(who, '/stocks/AAPL');
    for (const path of [button, `${button}&as=csv`]) {
      const seen = await who.get(path, { 'sec-fetch-site': 'cross-site' });
      expect([seen.status, seen.text.includes('Open for 4 credits')]).toEqual([200, true]);
    }
    await who.get(button);
    const later = await who.get(`${button}&as=csv`, { 'sec-fetch-site': 'cross-site' });
    expect(later.headers.get('content-type')).toContain('text/html');
    const stranger = await visitor(site.origin).get(`${button}&as=csv`);
    expect([stranger.status, await balanceOf(key)]).toEqual([401, before - 4]);
  });

  test('is offered anew, uncharged, once it was opened six times', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const button = await buttonOn(who, '/stocks/AAPL');
    for (let opened = 0; opened < 6; opened += 1) expect((await who.get(button)).status).toBe(200);
    const seventh = await who.get(button);
    expect([seventh.status, seventh.headers.get('location')]).toEqual([303, '/stocks/AAPL']);
    expect(await balanceOf(key)).toBe(before - 4);
    expect((await who.get(await buttonOn(who, '/stocks/AAPL'))).headers.get('x-credits-charged')).toBe('4');
  });

  test('opens for nothing when the visitor comes back to it and presses its button again', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const first = await buttonOn(who, '/stocks/AAPL');
    await who.get(first);
    const [, second] = [await who.get(`/funds/${cik(1)}`), await buttonOn(who, '/stocks/AAPL')];
    expect([second, (await who.get(second)).headers.get('x-credits-charged')]).toEqual([first, '0']);
    expect(await balanceOf(key)).toBe(before - 4);
  });

  test('is charged once when its button is pressed several times at once, and no press sees an error', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const button = await buttonOn(who, '/stocks/AAPL');
    const seen = await Promise.all(Array.from({ length: 5 }, () => who.get(button)));
    const waiting = seen.filter(({ status }) => status !== 200);
    for (const { status, headers } of waiting) {
      expect([status, headers.get('location')]).toEqual([303, button]);
    }
    expect(waiting.length).toBeLessThan(5);
    expect(await balanceOf(key)).toBe(before - 4);
  });

  test('is charged once when several tabs offered it, also when all are pressed at once', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const offers: string[] = [];
    for (let tab = 0; tab < 3; tab += 1) {
      // An offer of another moment has another token.
      await sleep(2);
      offers.push(await buttonOn(who, '/stocks/AAPL'));
    }
    expect(new Set(offers).size).toBe(3);
    const seen = await Promise.all(offers.map((button) => who.get(button)));
    const paid = seen.filter(({ headers }) => headers.get('x-credits-charged') === '4');
    expect([paid.length, await balanceOf(key)]).toEqual([1, before - 4]);
    for (const button of offers) expect((await who.get(button)).headers.get('x-credits-charged')).toBe('0');
    expect(await balanceOf(key)).toBe(before - 4);
  });

  test('that has changed since it was paid for is offered again, not charged', async () => {
    const { who, key } = await signedUp(site.origin);
    await seedBrief(site.world.mongo.db, 'CHNG', 'one');
    const path = '/stocks/CHNG/brief';
    const button = await buttonOn(who, path);
    const [paid, again] = [await who.get(button), await who.get(button)];
    expect(again.headers.get('location')).toBe(paid.headers.get('location'));
    const two = await seedBrief(site.world.mongo.db, 'CHNG', 'two', 2);
    const { credits, creditsTag } = site.world;
    await credits.publish(redisKeys(creditsTag).currentBriefs, 'CHNG');
    const headers = { authorization: `Bearer ${key}` };
    const shown = () =>
      fetch(`${site.origin}/v1${path.replace('brief', 'capital-change-brief')}`, { headers });
    await expect.poll(async () => (await shown()).headers.get('etag')).toBe(`W/"${two}"`);
    const before = await balanceOf(key);
    expect((await who.get(button)).headers.get('location')).toBe(path);
    const next = await who.get(await buttonOn(who, path));
    expect(next.headers.get('location')).not.toBe(paid.headers.get('location'));
    expect(await balanceOf(key)).toBe(before - 10);
  });

  test('is not charged when a browser fetches it in advance, or for a token with more behind it', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const button = await buttonOn(who, '/stocks/AAPL');
    for (const [path, headers] of [
      [button, { 'sec-purpose': 'prefetch;prerender' }],
      [button, { purpose: 'prefetch' }],
      [`${button}.x`, {}],
    ] as const) {
      const seen = await who.get(path, headers);
      expect([seen.status, seen.text.includes('Open for 4 credits')]).toEqual([200, true]);
    }
    expect(await balanceOf(key)).toBe(before);
  });

  test('is charged by no button of another visitor, for another page, or without one', async () => {
    const { who, key } = await signedUp(site.origin);
    const other = await signedUp(site.origin);
    const before = await balanceOf(key);
    const foreign = await buttonOn(other.who, '/stocks/AAPL');
    const own = await buttonOn(who, '/stocks/AAPL');
    const moved = own.replace('/stocks/AAPL', '/stocks/AAPL/brief');
    for (const path of [foreign, moved, '/stocks/AAPL?pay=x', `${own}0`]) {
      const seen = await who.get(path);
      expect([path, seen.status, seen.text.includes('Open for')]).toEqual([path, 200, true]);
    }
    expect(await balanceOf(key)).toBe(before);
  });

  test('needs a sign-in, and another site’s link leads to it', async () => {
    const stranger = await visitor(site.origin).get('/stocks/AAPL');
    expect([stranger.status, stranger.text.includes('Sign in or get a key')]).toEqual([401, true]);
    const linked = await visitor(site.origin).get('/stocks/AAPL', { 'sec-fetch-site': 'cross-site' });
    expect(linked.text).toContain('If you are signed in');
    expect((await visitor(site.origin).get('/stocks/not-a-ticker')).status).toBe(400);
  });

  test('costs nothing when there is nothing to show or to pay with', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    const unknown = await who.get(await buttonOn(who, '/stocks/ZZZZ'));
    expect([unknown.status, unknown.text.includes('ZZZZ')]).toEqual([404, true]);
    expect(await balanceOf(key)).toBe(before);
    const poor = await createKey(site.store, { orgName: 'Poor', credits: 3, label: 'test' });
    const visiting = visitor(site.origin);
    await visiting.send('/connect/sign-in', { key: poor.key });
    const refused = await visiting.get(await buttonOn(visiting, '/stocks/AAPL'));
    expect([refused.status, refused.text.includes('Not enough credits')]).toEqual([402, true]);
    expect(await balanceOf(poor.key)).toBe(3);
  });
});

describe('a brief that was looked up', () => {
  test('leads to its permanent page, which anyone may read for nothing', async () => {
    const { who, key } = await signedUp(site.origin);
    const before = await balanceOf(key);
    await seedBrief(site.world.mongo.db, 'AAPL', 'shown');
    const looked = await who.get('/connect/look-up?ticker=aapl');
    expect([looked.status, looked.headers.get('location')]).toEqual([303, '/stocks/AAPL']);
    const seen = await who.get(await buttonOn(who, '/stocks/AAPL', '/stocks/AAPL/brief'));
    expect([seen.status, seen.headers.get('x-credits-charged')]).toEqual([303, '10']);
    expect(seen.headers.get('location')).toMatch(/^\/briefs\/ccm_[0-9a-f]{64}$/);
    expect(await balanceOf(key)).toBe(before - 10);
  });

  test('about which nothing was ever filed is shown at once', async () => {
    const { who } = await signedUp(site.origin);
    const seen = await who.get(await buttonOn(who, '/stocks/QQQQ', '/stocks/QQQQ/brief'));
    expect([seen.status, seen.headers.get('x-credits-charged')]).toEqual([200, '10']);
    expect(seen.text).toContain('no data');
    expect(seen.text).not.toContain('href="/briefs/');
  });
});
