// @module-tag long

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { call } from '../harness/caller.ts';
import { type Child, openChildren } from '../harness/child.ts';
import { longScenario, scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const API = new URL('./api.ts', import.meta.url);
const PATH = '/v1/stocks/BIG/capital-change-brief';
const PRICE = 10;
const GRANT = 1_000;
/** A claim of a dead API ends after 15 s. */
const RETRY_MS = 60_000;
/** A charge that it left is voided within a minute. */
const VOID_MS = 60_000;
const VOIDED_MS = 180_000;
const MOMENTS = ['before the charge', 'after the charge', 'in the answer'] as const;

const stage = opened(() => openStage({ RATE_LIMIT_PER_SECOND: '0', SHED_LOOP_DELAY_MS: '0' }));
const children = openChildren();

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  // More than the buffers of both ends of a socket hold.
  await seedBrief(stage.world.mongo.db, 'BIG', 'x'.repeat(70_000));
});
afterAll(async () => {
  children.killAll();
});

type Moment = (typeof MOMENTS)[number];

/** An API that dies at this moment of the next call. It has served the key before, so the call is warm. */
async function mortalApi(moment: Moment, key: string): Promise<{ origin: string; child: Child }> {
  const charge = moment === 'in the answer' ? '' : (moment.split(' ')[0] ?? '');
  const child = children.startProgram(API, { ...stage.world.env, CHARGE: charge });
  await child.until('listens on');
  const origin = `http://127.0.0.1:${/listens on (\d+)\./.exec(child.said())?.[1]}`;
  // On a busy machine the first one may come too late; it costs nothing then.
  await expect.poll(async () => (await call({ url: `${origin}${PATH}`, key })).status).toBe(200);
  process.kill(child.pid, 'SIGUSR2');
  await child.until('armed');
  return { origin, child };
}

/** Makes the call, whose API dies in it; in the middle of the answer it is killed from here. */
async function lostCall(moment: Moment, key: string, name?: string): Promise<void> {
  const { origin, child } = await mortalApi(moment, key);
  const order = { url: `${origin}${PATH}`, key, ...(name === undefined ? {} : { name }) };
  if (moment === 'in the answer') await readBeginning(order, () => child.signal('SIGKILL'));
  else expect((await call(order)).status).toBe(0);
  await child.ended();
}

type Order = { readonly url: string; readonly key: string; readonly name?: string };

function readBeginning({ url, key, name }: Order, onData: () => void): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, ...(name && { 'idempotency-key': name }) };
  return new Promise((settle) => {
    request(url, { headers }, (answer) => {
      answer.once('data', () => {
        answer.pause();
        onData();
        answer.destroy();
        settle();
      });
      answer.on('error', () => settle());
    }).end();
  });
}

const booksOf = (orgId: string) => exactBooks(stage.world.store, orgId);

// Side by side: a claim and a charge of a dead process wait for their ends.
describe.concurrent('an API that is killed in a call', () => {
  scenario('T06', 'with an Idempotency-Key charges it once', async (run) => {
    await Promise.all(
      MOMENTS.map(async (moment) => {
        const { key, orgId } = await stage.newKey(GRANT);
        await lostCall(moment, key, 'order 1');
        let status = 0;
        const retry = async (): Promise<boolean> => {
          status = (await call({ url: `${stage.origin}${PATH}`, key, name: 'order 1' })).status;
          return status === 200;
        };
        await waitUntil(retry, RETRY_MS);
        expect([moment, status]).toEqual([moment, 200]);
        // The call that made it warm, and this one.
        expect((await booksOf(orgId)).spent).toBe(2 * PRICE);
      }),
    );
    run.measured({ moments: MOMENTS.length });
  });

  longScenario('T06', 'without one voids what was not answered', async (run) => {
    const waited = await Promise.all(
      MOMENTS.map(async (moment) => {
        const { key, orgId } = await stage.newKey(GRANT);
        await lostCall(moment, key);
        const died = performance.now();
        const { credits, creditsTag } = stage.world;
        const isVoided = async () =>
          Number(await credits.hget(redisKeys(creditsTag).org(orgId), 'bal')) === GRANT - PRICE;
        await waitUntil(isVoided, VOIDED_MS);
        expect([moment, (await booksOf(orgId)).spent]).toEqual([moment, PRICE]);
        return performance.now() - died;
      }),
    );
    const slowest = Math.max(...waited);
    run.measured({ 'voided after s': Math.round(slowest / 1_000) });
    expect(slowest).toBeLessThan(run.within(VOID_MS));
  });
});
