import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { charge } from '../../src/api/metering/settle.ts';
import { closeApi, openApi } from '../../src/api/open.ts';
import { digestOf } from '../../src/credits/account/key.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startVoids } from '../../src/credits/voids.ts';
import type { Wallet } from '../../src/credits/wallet.ts';
import { opened } from '../opened.ts';
import { seed, seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const BRIEF = '/v1/stocks/AAPL/capital-change-brief';
const PRICE = 10;
const CAP = 100;
const CALLS = 25;

const stage = opened(() => openStage({ CREDITS_EXPOSURE_PER_ORG: String(CAP), RATE_LIMIT_PER_SECOND: '0' }));
beforeAll(async () => {
  await seed(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

test('a customer that spends more at once than may be at risk is served, not refused', async () => {
  const burst = async (): Promise<number> => {
    const { key } = await stage.newKey(CALLS * PRICE);
    const answers = await Promise.all(Array.from({ length: CALLS }, () => stage.get(BRIEF, key)));
    const served = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
    expect((await stage.get('/v1/credits', key)).body.data.balance).toBe((CALLS - served) * PRICE);
    return served;
  };
  // On a busy machine MongoDB may be too slow for one of them.
  await expect.poll(burst, { timeout: 60_000 }).toBe(CALLS);
}, 90_000);

test('a charge whose void waits for Redis is not tried again: its answer would be free', async () => {
  const { context, credits, creditsTag, store } = stage.world;
  const { key, keyId, orgId } = await stage.newKey(100);
  const api = await openApi(context);
  const org = redisKeys(creditsTag).org(orgId);
  await drainLog(store);
  await credits.hset(org, 'und', CAP);
  // The replies to the first charge and to the first void are lost; in between too much is at risk.
  const lost = new Error('Connection is closed.');
  let charges = 0;
  let voids = 0;
  const wallet: Wallet = {
    ...api.wallet,
    async charge(...args) {
      charges += 1;
      if (charges === 1) throw lost;
      return api.wallet.charge(...args);
    },
    async void(...args) {
      voids += 1;
      if (voids > 1) return api.wallet.void(...args);
      await credits.hset(org, 'und', 0);
      throw lost;
    },
  };
  const pending = startVoids({ store, wallet }, () => undefined);
  const credential = { keyId, orgId, epoch: 1, digest: digestOf(key, store.pepper) };
  const call = { cost: PRICE, tool: 'test', attemptId: 'lost', request: 'lost', fingerprint: '' };
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  let isDelivered = false;
  const charged = await charge({ ...api, wallet, voids: pending }, { res, credential, call }, () => {
    isDelivered = true;
  });
  expect(await pending.drain(30_000)).toBe(0);
  await closeApi(api);
  expect([charged, isDelivered]).toEqual([expect.objectContaining({ kind: 'lagging' }), false]);
  expect(await credits.hget(org, 'bal')).toBe('100');
});
