import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeVouchers } from '../../src/credits/account/voucher.ts';
import { openSite, type Site } from '../connect/open-connect.ts';
import { creditsOf } from '../connect/visitor.ts';
import { NO_BROWSER, openBrowser, openWatched, WITHOUT } from './browser.ts';
import { faultsOf, shoot } from './whole.ts';

const DESKTOP = { width: 1280, height: 900 };

describe.skipIf(NO_BROWSER)(`the site in a real browser${WITHOUT}`, () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    [site, browser] = await Promise.all([openSite({ TRUST_PROXY: '0' }), openBrowser()]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  test('the whole journey works by keyboard and labels, without scripts', async () => {
    const options = { javaScriptEnabled: false, viewport: DESKTOP };
    const { context, wrong } = await openWatched(browser, site.origin, options);
    const page = await context.newPage();
    await page.goto('/');
    await press(page, page.getByRole('link', { name: 'Get a key' }).first());
    expect(await page.title()).toBe('Connect · Tidemark');

    await page.getByLabel('Name of the organisation').fill('Keyboard & Sons');
    await enter(page);
    const first = await shownKey(page);
    expect((await creditsOf(site.origin, first)).balance).toBe(1_000);
    await press(page, page.getByRole('link', { name: 'I have copied it' }));
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Keyboard & Sons');

    const [voucher] = await makeVouchers(site.store, { credits: 500, count: 1, expiresAt: null });
    await page.getByLabel('Voucher code').fill('TMV-wrong');
    await enter(page);
    expect(await page.getByRole('alert').textContent()).toContain('This voucher cannot be redeemed');
    await page.getByLabel('Voucher code').fill(voucher?.code ?? '');
    await enter(page);
    expect(await page.getByRole('status').textContent()).toContain('in your balance');
    expect(await page.locator('#credits').textContent()).toBe('1,500');

    await page.getByLabel('Tickers').fill('AAPL, brk-b');
    await press(page, page.getByRole('button', { name: 'Save the watchlist' }));
    expect(await page.getByLabel('Tickers').inputValue()).toBe('AAPL, BRK.B');

    await page.getByLabel('What it is for').fill('Night job');
    await press(page, page.getByRole('button', { name: 'Make a test key' }));
    expect(await shownKey(page)).toMatch(/^tm_test_/);
    await press(page, page.getByRole('link', { name: 'I have copied it' }));

    await openForms(page, 'Night job');
    await press(page, page.getByRole('button', { name: 'Revoke the key' }).last());
    expect(await page.getByRole('status').textContent()).toContain('The key is revoked');

    await openForms(page, 'First key');
    await page.getByLabel(/^Replace it by a new key/).selectOption('another 7 days');
    await press(page, page.getByRole('button', { name: 'Rotate the key' }));
    const second = await shownKey(page);
    const both = [await creditsOf(site.origin, first), await creditsOf(site.origin, second)];
    expect(both.map((one) => one.status)).toEqual([200, 200]);
    await press(page, page.getByRole('link', { name: 'I have copied it' }));
    await press(page, page.getByRole('button', { name: 'Sign out' }));

    await page.getByLabel('API key').fill(second);
    await enter(page);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Keyboard & Sons');
    expect(page.url()).toBe(`${site.origin}/connect`);
    expect(wrong).toEqual([]);
    await context.close();
  }, 60_000);

  test('no page requests another host, breaks its policy, is wider than a phone or bars anyone', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
    const { context, wrong } = await openWatched(browser, site.origin);
    const page = await context.newPage();
    await tour(page, site);
    expect(wrong).toEqual([]);
    await context.close();
  });

  test('the first Tab reaches the skip link, and every control shows its focus', async () => {
    const { context } = await openWatched(browser, site.origin, { viewport: DESKTOP });
    const page = await context.newPage();
    await page.goto('/connect');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content');
    const seen = new Set<string>();
    for (let at = 0; at < 12; at += 1) {
      await page.keyboard.press('Tab');
      const focus = page.locator(':focus');
      if ((await focus.count()) === 0) continue;
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      seen.add(String(outline));
    }
    expect([...seen]).toEqual(['solid']);
    await context.close();
  });
});

async function tour(page: Page, site: Site): Promise<void> {
  const look = async (name: string) => {
    expect([name, await faultsOf(page)]).toEqual([name, []]);
    await shoot(page, name);
  };
  await page.goto('/');
  await look('landing');
  await page.goto('/connect');
  await look('entry');
  await page.getByLabel('API key').fill('tm_live_wrong');
  await press(page, page.getByRole('button', { name: 'Sign in' }));
  await look('wrong-key');
  await page.getByLabel('Name of the organisation').fill('Aldgate Research');
  await press(page, page.getByRole('button', { name: 'Create it' }));
  await look('key');
  const key = await shownKey(page);
  await call(site.origin, key);
  await press(page, page.getByRole('link', { name: 'I have copied it' }));
  await openForms(page, 'First key');
  await look('account');
  await page.goto('/nothing-here');
  await look('missing');
}

/** Makes the account look used: three answers that are charged. */
async function call(origin: string, key: string): Promise<void> {
  for (const path of ['/v1/funds', '/v1/events?limit=5', '/v1/funds?page=2']) {
    await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${key}` } });
  }
}

/** Presses Enter where the focus is, and waits for the page that follows. */
async function enter(page: Page): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await loaded;
}

async function press(page: Page, target: ReturnType<Page['getByRole']>): Promise<void> {
  await target.focus();
  await enter(page);
}

async function shownKey(page: Page): Promise<string> {
  return (await page.locator('#new-key').textContent()) ?? '';
}

async function openForms(page: Page, label: string): Promise<void> {
  const summary = page.getByText(`Label, rotate or revoke ${label}`);
  await summary.focus();
  await page.keyboard.press('Enter');
}
