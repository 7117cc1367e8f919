// @module-tag long

import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startWorkers } from '../../../jobs/worker/run.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { fileOf, manifestFile } from '../../../src/backup/dump.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { startApi } from '../../../src/serve.ts';
import { lastPlace } from '../../../src/store/account/ledger.ts';
import { tidemark } from '../../cli/tidemark.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from '../../flow/flow.ts';
import { shownIn, streamOf } from '../../flow/shown.ts';
import { AS_OF, FORM4, openSmallCorpus } from '../../flow/small-corpus.ts';
import { opened } from '../../opened.ts';
import { ownFolder } from '../../own-folder.ts';
import { openWorld, type World } from '../../world.ts';
import { operator, step } from '../drills/operator.ts';
import { scenario } from '../harness/scenario.ts';

const folder = opened(openSmallCorpus);
const flow = opened(() => openFlow(folder, AS_OF));
const dir = join(ownFolder('backup'), 'copy');
const worlds: World[] = [];

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** Another home over the same EDGAR, with nothing in MongoDB and Redis, or with the credits Redis of a tag. */
async function emptyHome(settings: Readonly<Record<string, string>> = {}): Promise<Flow> {
  const { EDGAR_URL = '', BACKFILL_FROM = '', TIDEMARK_AS_OF = '' } = flow.world.env;
  const world = await openWorld({
    EDGAR_URL,
    BACKFILL_FROM,
    TIDEMARK_AS_OF,
    BRIEF_DEBOUNCE_MS: '0',
    PORT: '0',
    ...settings,
  });
  worlds.push(world);
  return { ...flow, world, config: world.config, db: world.mongo.db };
}

const GRANTED = 100_000;

/** An API over a home, and a customer of it. */
async function openShop({ world }: Flow, key: string) {
  const limits = { ...world.config.limits, loopDelayMs: 0 };
  const api = await startApi({ ...world.context, config: { ...world.config, limits, port: 0 } });
  return {
    /** Buys once. Returns what it cost and the balance after it; null when it was refused. */
    async buy() {
      const url = `http://127.0.0.1:${api.port}/v1/events?limit=1`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
      await answer.arrayBuffer();
      const numberOf = (name: string) => Number(answer.headers.get(`x-credits-${name}`));
      return answer.ok ? { cost: numberOf('charged'), balance: numberOf('balance') } : null;
    },
    close: () => api.close(),
  };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Enough for longer than a backup takes. */
const MAX_CALLS = 1_000;

/** Buys until told to stop. */
function keepBuying(shop: Shop) {
  const bought = { calls: 0, credits: 0 };
  let isOver = false;
  const buying = (async () => {
    while (!isOver && bought.calls < MAX_CALLS) {
      const paid = await shop.buy();
      if (paid === null) continue;
      bought.calls += 1;
      bought.credits += paid.cost;
    }
  })();
  return {
    bought,
    stop: async () => {
      isOver = true;
      await buying;
    },
  };
}

/** The first call that a restored home answers. */
async function firstSale(shop: Shop) {
  let sale = await shop.buy();
  await waitUntil(async () => {
    sale ??= await shop.buy();
    return sale !== null;
  }, 60_000);
  return sale ?? { cost: 0, balance: -1 };
}

const endOfLedger = async ({ db }: Flow, orgId: string) => (await lastPlace(db, orgId))?.balance ?? -1;

scenario(
  'T13',
  'a backup under load restores into an empty home and leads to the same result',
  async (run) => {
    const customer = { orgName: 'customer', credits: GRANTED, label: '' };
    const { key, orgId } = await createKey(flow.world.store, customer);
    const shop = await openShop(flow, key);
    const sales = keepBuying(shop);
    const pipeline = await openStages(flow);
    const workers = startWorkers(pipeline.context, pipeline.redis);
    const running = dispatchToEnd(pipeline);
    // In the middle: some filings are parsed, and others are not there yet.
    const hasBegun = async () =>
      (await flow.db.collection('filings').countDocuments({ state: 'parsed' })) >= 2;
    expect(await waitUntil(hasBegun, 120_000)).toBe(true);
    const hasSold = async () => (await endOfLedger(flow, orgId)) < GRANTED - 10;
    expect(await waitUntil(hasSold, 120_000)).toBe(true);
    const soldBefore = GRANTED - (await endOfLedger(flow, orgId));
    step('In the middle of an ingest and of paid calls: back up');
    const backup = await operator(flow.world, 'backup', dir);
    expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Backed up \d+ documents/) });
    await running;
    await workers.close();
    await pipeline.close();
    const expected = await shownIn(flow.db);
    await sales.stop();
    await shop.close();
    const paid = sales.bought.credits;
    expect(await endOfLedger(flow, orgId)).toBe(GRANTED - paid);
    expect(await operator(flow.world, 'credits', 'check')).toMatchObject({ code: 0 });

    step('The machine is lost: restore into an empty home, check, then start the workers');
    const home = await emptyHome();
    const restored = await operator(home.world, 'restore', dir);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Restored \d+ documents/) });
    const copied = await home.db
      .collection('filings')
      .countDocuments({ state: { $in: ['parsed', 'fetched'] } });
    await runPipeline(home);
    expect(await shownIn(home.db)).toEqual(expected);
    const stream = await streamOf(home.db);
    expect(stream.map(([, accession]) => accession).sort()).toEqual([...FORM4].sort());
    expect(await operator(home.world, 'events', 'check')).toMatchObject({ code: 0 });
    for (const name of ['organizations', 'keys', 'grants']) {
      // When a key was used last is saved once a minute.
      const find = (db: typeof home.db) => db.collection(name).find({}, { projection: { lastUsedAt: 0 } });
      expect(await find(home.db).toArray()).toEqual(await find(flow.db).toArray());
    }
    step(
      'The workers read from EDGAR what the copy lacks; the first call opens the balances from the ledger',
    );
    // With Redis lost as well, the ledger of the copy is the balance: what was charged since is a gift.
    expect(await operator(home.world, 'credits', 'check')).toMatchObject({ code: 0 });
    const inCopy = GRANTED - (await endOfLedger(home, orgId));
    expect(inCopy).toBeGreaterThanOrEqual(soldBefore);
    expect(inCopy).toBeLessThanOrEqual(paid);
    const restoredShop = await openShop(home, key);
    const { cost, balance } = await firstSale(restoredShop);
    expect(balance).toBe(GRANTED - inCopy - cost);
    await restoredShop.close();
    expect(await operator(home.world, 'credits', 'check')).toMatchObject({ code: 0 });

    await expectRedisToDecide({ key, orgId, paid });
    run.measured({
      'filings in the copy': copied,
      'paid calls': sales.bought.calls,
      'of them in the copy': inCopy,
    });
  },
);

/** With a Redis that survived, nothing is lost: what it has since the copy is one row of the ledger. */
async function expectRedisToDecide({ key, orgId, paid }: { key: string; orgId: string; paid: number }) {
  step('The same with a credits Redis that survived');
  const home = await emptyHome({ CREDITS_TAG: flow.world.creditsTag });
  expect(await operator(home.world, 'restore', dir)).toMatchObject({ code: 0 });
  expect(await operator(home.world, 'credits', 'check')).toMatchObject({ code: 0 });
  const shop = await openShop(home, key);
  const { cost, balance } = await firstSale(shop);
  await shop.close();
  expect(balance).toBe(GRANTED - paid - cost);
  expect(await endOfLedger(home, orgId)).toBe(balance);
  expect(await operator(home.world, 'credits', 'check')).toMatchObject({ code: 0 });
}

test('a backup is readable by its user alone, and is refused where it is damaged, not ended, or not alone', async () => {
  await tidemark(flow.world, 'backup', dir).catch(() => undefined);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, fileOf('keys'))).mode & 0o777).toBe(0o600);
  expect(await tidemark(flow.world, 'backup', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not empty'),
  });
  expect(await tidemark(flow.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has data'),
  });
  const home = await emptyHome();
  const manifest = readFileSync(join(dir, 'manifest.json'), 'utf8');
  expect(manifestFile.parse(JSON.parse(manifest)).collections.length).toBeGreaterThan(20);
  appendFileSync(join(dir, fileOf('filings')), 'x');
  expect(await tidemark(home.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('filings.bson.gz of the backup is damaged'),
  });
  rmSync(join(dir, 'manifest.json'));
  expect(await tidemark(home.world, 'restore', dir)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is no backup, or one that did not end'),
  });
  writeFileSync(join(dir, 'manifest.json'), manifest);
  expect(await home.db.listCollections().toArray()).toEqual([]);
});
