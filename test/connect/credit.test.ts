import { describe, expect, test } from 'vitest';
import { makeVouchers } from '../../src/credits/account/voucher.ts';
import { grantCredits } from '../../src/credits/grant.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { MAX_RECENT, recentEntries } from '../../src/credits/ledger/status.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import { startApi } from '../../src/serve.ts';
import { findKey } from '../../src/store/account/keys.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { takeVoucher } from '../../src/store/account/vouchers.ts';
import { findWatchlist } from '../../src/store/account/watchlists.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { creditsOf, hiddenOf, idOf, signedUp } from './visitor.ts';

const site = opened(openSite);

async function voucher(credits: number) {
  const [made] = await makeVouchers(site.store, { credits, count: 1, expiresAt: null });
  if (made === undefined) throw new Error('one voucher');
  return made;
}

describe('a voucher at /connect', () => {
  test('is in the balance at once, and only once', async () => {
    const { who, key } = await signedUp(site.origin);
    const { code } = await voucher(234);
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ')} `;
    const seen = await who.send('/connect/voucher', { code: typed });
    expect(seen.headers.get('location')).toBe('/connect?done=redeemed');
    const account = (await who.get('/connect?done=redeemed')).text;
    expect(account).toContain('<strong id="credits">1,234</strong>');
    expect(account).toContain('Worth $12.34');
    const again = await who.send('/connect/voucher', { code });
    expect(again.status).toBe(422);
    expect(again.text).toContain('has already redeemed this voucher');
    expect((await creditsOf(site.origin, key)).balance).toBe(1_234);
  });

  test('is granted once to one of several organisations that send it in parallel', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => signedUp(site.origin)));
    const { code } = await voucher(50);
    const sent = all.flatMap(({ who }) => [who, who, who]);
    await Promise.all(sent.map((who) => who.send('/connect/voucher', { code })));
    const balances = await Promise.all(
      all.map(async ({ key }) => (await creditsOf(site.origin, key)).balance),
    );
    expect(balances.sort((a, b) => a - b)).toEqual([1_000, 1_000, 1_000, 1_050]);
  });

  test('after eleven wrong codes: 429, also for a valid one', async () => {
    const { who } = await signedUp(site.origin);
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/voucher');
    const all = await Promise.all(
      Array.from({ length: 14 }, () =>
        who.post('/connect/voucher', { ...hidden, code: 'TMV-0000-0000-0000-0000' }),
      ),
    );
    expect(all.filter((seen) => seen.status === 422)).toHaveLength(10);
    const { code } = await voucher(5);
    const refused = await who.post('/connect/voucher', { ...hidden, code });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('that a crash left between taking and granting is granted by the next start, once', async () => {
    const { key } = await signedUp(site.origin);
    const { doc } = await voucher(7);
    const orgId = (await findKey(site.store.db, idOf(key)))?.orgId ?? '';
    await takeVoucher(site.store.db, doc._id, orgId, new Date().toISOString());
    for (let at = 0; at < 2; at += 1) {
      const config = { ...site.world.config, port: 0 };
      const second = await startApi({ ...site.world.context, config });
      await second.close();
    }
    expect((await creditsOf(site.origin, key)).balance).toBe(1_007);
  });
});

describe('recent charges', () => {
  test('show charges, refunds and grants, and nothing of other organisations', async () => {
    const mine = await signedUp(site.origin);
    const other = await signedUp(site.origin);
    await call(mine.key, '/v1/funds');
    await call(other.key, '/v1/events');
    await drainLog(site.store);
    const orgId = (await findKey(site.store.db, idOf(mine.key)))?.orgId ?? '';
    const account = { orgId, keyId: idOf(mine.key), epoch: 1 };
    const charged = (await latestRows(site.store.db, orgId, 1))[0]?.rid ?? '';
    const voided = { cost: 1, tool: 'fund.list', attemptId: charged, request: charged, fingerprint: '' };
    const wallet = openWallet(site.store.redis, redisKeys(site.store.tag));
    // Its open call is the API's; the row of the ledger proves the charge.
    expect(await wallet.void(account, voided, { kind: 'void', cost: 1 })).toBe('voided');
    await drainLog(site.store);
    const { text } = await mine.who.get('/connect');
    const rows = text.slice(text.indexOf('id="charges"'));
    expect(rows).toContain('<code>fund.list</code>');
    expect(rows).toContain('refunded');
    expect(rows).toContain('Credits added');
    expect(rows).toContain(`<code>${idOf(mine.key)}</code>`);
    expect(rows).not.toContain('events.latest');
    expect(rows).not.toContain(idOf(other.key));
  });

  test('are the latest fifty, whatever others do', async () => {
    const { key } = await signedUp(site.origin);
    const orgId = (await findKey(site.store.db, idOf(key)))?.orgId ?? '';
    for (let at = 1; at <= MAX_RECENT; at += 1) {
      await grantCredits(site.store, { org: orgId, amount: at, reason: 'operator' });
    }
    await drainLog(site.store);
    const recent = await recentEntries(site.store, orgId);
    expect(recent.isWhole).toBe(false);
    expect(recent.entries.map((one) => one.delta)).toEqual(
      Array.from({ length: MAX_RECENT }, (_, at) => MAX_RECENT - at),
    );
  });

  test('include an operator’s grant', async () => {
    const { who, name } = await signedUp(site.origin);
    await grantCredits(site.store, { org: name, amount: 40, reason: 'operator' });
    await drainLog(site.store);
    expect((await who.get('/connect')).text).toContain('+40');
  });
});

describe('the watchlist', () => {
  test('is saved in its normal form', async () => {
    const { who, key } = await signedUp(site.origin);
    const seen = await who.send('/connect/watchlist', {
      tickers: 'aapl, brk-b\nAAPL',
      ciks: '320193 1067983',
    });
    expect(seen.headers.get('location')).toBe('/connect?done=watchlist');
    const orgId = (await findKey(site.store.db, idOf(key)))?.orgId ?? '';
    expect(await findWatchlist(site.store.db, orgId)).toMatchObject({
      tickers: ['AAPL', 'BRK.B'],
      ciks: ['0000320193', '0001067983'],
    });
    expect((await who.get('/connect')).text).toContain('AAPL, BRK.B</textarea>');
  });

  test('with an invalid entry is not changed, and the typed text is kept', async () => {
    const { who, key } = await signedUp(site.origin);
    await who.send('/connect/watchlist', { tickers: 'AAPL', ciks: '' });
    const typed = 'MSFT, </textarea><script>alert(1)</script>';
    const seen = await who.send('/connect/watchlist', { tickers: typed, ciks: '' });
    expect(seen.status).toBe(422);
    expect(seen.text).not.toContain('<script');
    expect(seen.text).toContain('MSFT, &lt;/textarea&gt;&lt;script&gt;');
    const orgId = (await findKey(site.store.db, idOf(key)))?.orgId ?? '';
    expect((await findWatchlist(site.store.db, orgId)).tickers).toEqual(['AAPL']);
  });
});

async function call(key: string, path: string): Promise<void> {
  const response = await fetch(`${site.origin}${path}`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  if (response.headers.get('x-credits-charged') !== '1') throw new Error(`${path}: ${response.status}`);
}
