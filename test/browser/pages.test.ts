import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import type { BriefSummary } from '../../src/domain/brief/manifest.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import type { Brief } from '../../src/domain/wire/brief.ts';
import type { TransactionItem } from '../../src/domain/wire/transaction.ts';
import { diffPath } from '../../src/site/brief/diff-page.ts';
import { SAMPLE } from '../../src/site/sample.ts';
import { saveBrief } from '../../src/store/publish/briefs.ts';
import { apple, cik, LATEST, PRIOR, publish, seedSymbols, show } from '../api/stock-corpus.ts';
import { openSite, type Site } from '../connect/open-connect.ts';
import { NO_BROWSER, openBrowser, openWatched, WITHOUT } from './browser.ts';
import { faultsOf, shoot } from './whole.ts';

const TRADES: unknown = JSON.parse(
  readFileSync(new URL('../../src/api/examples/insider.transactions.json', import.meta.url), 'utf8'),
);

describe.skipIf(NO_BROWSER)(`the pages of numbers in a real browser${WITHOUT}`, () => {
  let site: Site;
  let browser: Browser;
  let key = '';
  beforeAll(async () => {
    [site, browser] = await Promise.all([openSite({ TRUST_PROXY: '0' }), openBrowser()]);
    const { db } = site.world.mongo;
    await publish(db);
    await seedSymbols(db);
    for (const [n, now] of [25_000n, 5_000n, 90_000n].entries()) {
      await show(db, n + 1, { [PRIOR]: [apple(10_000n, 2_000n)], [LATEST]: [apple(now, now / 5n)] });
    }
    await keep(doubtful());
    ({ key } = await createKey(site.store, { orgName: 'Readers', credits: 10_000, label: 'test' }));
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  const keep = (brief: Brief) =>
    saveBrief(site.world.mongo.db, {
      _id: brief.brief_id,
      ticker: 'AAPL' as Ticker,
      body: Buffer.from(JSON.stringify({ data: brief })),
      generatedAt: brief.generated_at,
      evidence: [],
      summary: {} as BriefSummary,
    });

  test('are whole at every width and in both palettes', {
    tags: ['property'],
    timeout: 120_000,
  }, async () => {
    const { context, wrong } = await openWatched(browser, site.origin);
    const page = await context.newPage();
    await page.goto(`/briefs/${doubtful().brief_id}`);
    await isWhole(page, 'brief');
    await page.goto(diffPath(SAMPLE.brief_id, doubtful().brief_id));
    await isWhole(page, 'diff');
    await page.goto('/terms');
    await isWhole(page, 'terms');
    await page.goto('/status');
    await isWhole(page, 'status');
    await page.goto('/connect');
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Ticker', { exact: true }).fill('AAPL');
    await page.getByRole('button', { name: 'See what it costs' }).click();
    await isWhole(page, 'offer');
    await page.getByRole('link', { name: 'Open for 4 credits' }).click();
    await isWhole(page, 'stock');
    await sortsByShares(page);
    await page.goto(`/funds/${cik(1)}`);
    await page.getByRole('link', { name: 'Open for 2 credits' }).click();
    await isWhole(page, 'fund');
    expect(wrong).toEqual([]);
    await context.close();
  });
});

/** The first column of numbers, largest first and then smallest first. */
async function sortsByShares(page: Page): Promise<void> {
  const names = () => page.locator('table[data-sortable] tbody th').allTextContents();
  const given = await names();
  const button = page.locator('table[data-sortable]').getByRole('button', { name: 'Manager' });
  await button.click();
  expect(await names()).toEqual([...given].sort().reverse());
  await button.click();
  expect(await names()).toEqual([...given].sort());
}

async function isWhole(page: Page, name: string): Promise<void> {
  expect([name, await faultsOf(page)]).toEqual([name, []]);
  await shoot(page, name);
  await page.setViewportSize({ width: 1280, height: 900 });
}

/** A trade of the recorded example on another day. */
function trade(side: 'buy' | 'sell', kind: 'discretionary' | 'plan', day: string): TransactionItem {
  const { transactions } = (TRADES as { data: { transactions: TransactionItem[] } }).data;
  const [recorded] = transactions;
  if (recorded === undefined) throw new Error('the example has a trade');
  return { ...recorded, side, kind, transaction_date: day };
}

/** The sample with a doubtful change and two trades, so that every shape of the charts is there. */
function doubtful(): Brief {
  const { changes } = SAMPLE.institutional;
  const [first] = changes;
  if (first === undefined) throw new Error('the sample has a change');
  const doubted = {
    ...first,
    quality: { status: 'uncertain', reasons: ['split_suspected'] },
  } as typeof first;
  return {
    ...SAMPLE,
    brief_id: `ccm_${'d'.repeat(64)}`,
    institutional: { ...SAMPLE.institutional, changes: [...changes, doubted] },
    insiders: {
      ...SAMPLE.insiders,
      counts: { ...SAMPLE.insiders.counts, buys: 1, sells: 1 },
      transactions: [trade('buy', 'discretionary', '2023-04-05'), trade('sell', 'plan', '2023-01-03')],
    },
  };
}
