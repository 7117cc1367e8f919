import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { ERRORS, type ErrorCode, errorPath } from '../../src/api/http/problem.ts';
import { outcomeShape } from '../../src/domain/wire/brief.ts';
import { endpointPath } from '../../src/site/docs/endpoint-parts.ts';
import { openStage } from '../api/stage.ts';
import { opened } from '../opened.ts';
import { seriousFaults } from './axe.ts';
import { NO_BROWSER, openBrowser, openWatched, WITHOUT } from './browser.ts';
import { faultsOf, shoot } from './whole.ts';

const stage = opened(openStage);
let browser: Browser | undefined;

beforeAll(async () => {
  if (!NO_BROWSER) browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
});

type Look = readonly [colorScheme: 'light' | 'dark', width: number];

const DESK: Look = ['light', 1280];
const PHONE: Look = ['dark', 390];

/** Hands over a page at the address; fails for requests to elsewhere, refused content and page errors. */
async function onPage(path: string, look: Look, check: (page: Page) => Promise<void>): Promise<void> {
  if (browser === undefined) throw new Error('no browser');
  const [colorScheme, width] = look;
  const { context, wrong } = await openWatched(browser, stage.origin, {
    colorScheme,
    viewport: { width, height: 900 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(path);
  await check(page);
  await context.close();
  expect(wrong).toEqual([]);
}

async function expectWhole(path: string): Promise<void> {
  await onPage(path, DESK, async (page) => {
    expect(await faultsOf(page)).toEqual([]);
    await shoot(page, path.split('/').at(-1) ?? '');
  });
}

describe.skipIf(NO_BROWSER)(`the documents in a real browser${WITHOUT}`, () => {
  test('the guide has every price and every error, is whole at every width and requests no other host', {
    tags: ['long'],
    timeout: 120_000,
  }, async () => {
    await onPage('/docs', DESK, async (page) => {
      const text = (await page.textContent('main')) ?? '';
      for (const endpoint of ENDPOINTS) expect(text).toContain(endpoint.path);
      for (const code of Object.keys(ERRORS)) expect(text).toContain(code);
      expect(text).toContain('at least once');
      for (const outcome of outcomeShape.options) expect(text).toContain(outcome);
      expect(await faultsOf(page)).toEqual([]);
      await page.goto('/docs#all');
      expect(await faultsOf(page)).toEqual([]);
      await shoot(page, 'guide');
    });
  });

  const WHOLE = '%s is whole at every width and requests no other host';
  test.each(['/docs/endpoints/capital_change_brief'])(
    WHOLE,
    { tags: ['property'], timeout: 120_000 },
    expectWhole,
  );
  test.each(['/docs/endpoints/insider.transactions', '/docs/errors/invalid_parameter'])(
    WHOLE,
    { tags: ['long'], timeout: 120_000 },
    expectWhole,
  );

  test('axe objects to no page of an endpoint or an error code, nor to the changelog', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const ofCodes = Object.keys(ERRORS).map((code) => errorPath(code as ErrorCode));
    const paths = [...ENDPOINTS.map(endpointPath), ...ofCodes, '/changelog'];
    await onPage('/terms', DESK, async (page) => {
      for (const path of paths) {
        await page.goto(path);
        expect([path, await seriousFaults(page)]).toEqual([path, []]);
      }
    });
  });
});

test.skipIf(NO_BROWSER)(
  `on a phone the guide and the changelog are closed chapters, and an address opens its own${WITHOUT}`,
  async () => {
    await onPage('/docs', PHONE, async (page) => {
      const open = () => page.locator('.chapter-body:visible').count();
      const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
      expect([await open(), (await height()) < 3_000]).toEqual([0, true]);
      await page.getByRole('heading', { name: 'Errors', exact: true }).getByRole('link').click();
      expect(await open()).toBe(1);
      expect(await page.getByText('All errors have the same shape.').isVisible()).toBe(true);
      await page.goto('/docs#typescript');
      expect(await page.locator('#typescript').isVisible()).toBe(true);
      await page.getByRole('link', { name: 'open everything' }).click();
      expect(await open()).toBe(await page.locator('.chapter').count());
      await page.goto('/changelog');
      expect([await open(), (await height()) < 3_000]).toEqual([0, true]);
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await open()).toBe(await page.locator('.chapter').count());
    });
  },
);

test.skipIf(NO_BROWSER)(
  `the reference shows every endpoint, is whole at every width, also after a search, and requests no other host${WITHOUT}`,
  { tags: ['long'], timeout: 120_000 },
  async () => {
    await onPage('/docs/reference', DESK, async (page) => {
      for (const { title } of ENDPOINTS) {
        expect(await page.getByRole('heading', { name: title, exact: true, level: 3 }).isVisible()).toBe(
          true,
        );
      }
      expect(await faultsOf(page)).toEqual([]);
      await shoot(page, 'reference');
      await page.getByRole('searchbox').fill('weight_pct');
      expect(await faultsOf(page)).toEqual([]);
      await shoot(page, 'reference-search');
    });
  },
);

test.skipIf(NO_BROWSER)(
  `a search of the reference leaves the endpoints and the fields that have every word, by the keyboard alone${WITHOUT}`,
  async () => {
    await onPage('/docs/reference', DESK, async (page) => {
      const titles = () => page.locator('h3:visible').allTextContents();
      const rows = () => page.locator('tbody tr:visible');
      await page.getByRole('searchbox').focus();
      await page.keyboard.type('Leaderboard median');
      expect(await titles()).toEqual(['Copy leaderboard']);
      expect(await page.getByRole('status').textContent()).toBe(`1 of ${ENDPOINTS.length} endpoints`);
      for (const row of await rows().allTextContents()) expect(row.toLowerCase()).toContain('median');
      expect(await rows().count()).toBeGreaterThan(0);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('min_value_cents');
      expect(await titles()).toEqual(['Insider transactions']);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('xyzzy');
      expect([await titles(), await page.getByRole('status').textContent()]).toEqual([
        [],
        `0 of ${ENDPOINTS.length} endpoints`,
      ]);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.press('Delete');
      expect(await titles()).toEqual(ENDPOINTS.map(({ title }) => title));
    });
  },
);

test.skipIf(NO_BROWSER)(
  `the price table leads to the page of an endpoint, and that to the reference of all${WITHOUT}`,
  async () => {
    await onPage('/docs', PHONE, async (page) => {
      await page.goto('/docs#credits');
      await page.click('a:has-text("/funds/{cik}/holdings")');
      expect(await page.textContent('main')).toContain('curl -s -H');
      await page.getByText('Every field of the answer').click();
      expect(await page.getByText('data.holdings[].cusip', { exact: true }).isVisible()).toBe(true);
      await page.getByRole('link', { name: 'All endpoints' }).click();
      await page.waitForURL('**/docs/reference');
      await page.getByRole('link', { name: 'Fund holdings' }).click();
      expect(await page.getByRole('heading', { name: 'Parameters', exact: true }).count()).toBe(1);
    });
  },
);

test('the pages are whole without scripts and run only those of the site', async () => {
  for (const path of ['/docs', '/docs/reference']) {
    const answer = await fetch(`${stage.origin}${path}`);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'(;|$)/,
    );
    const text = await answer.text();
    for (const endpoint of ENDPOINTS) expect(text).toContain(endpoint.path);
  }
});

test('the summary for language models names every tool with its price, the resource and the prompt, for any origin', async () => {
  const answer = await fetch(`${stage.origin}/llms.txt`);
  expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const text = await answer.text();
  expect(text).toContain('`tidemark://briefs/{brief_id}` (MCP resource)');
  expect(text).toContain('`read_a_brief` (MCP prompt');
  expect(text).toMatch(/^# Tidemark\n\n> /);
  for (const { name, credits } of ENDPOINTS) {
    const price = credits === 0 ? 'Free' : `Costs ${credits} credit`;
    expect(text).toMatch(new RegExp(`- \`${name.replace('.', '\\.')}\`: .*${price}`));
  }
});
