import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CreatedKey } from '../../../src/credits/account/key-life.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { waitUntil } from '../../../src/embedded/wait.ts';
import { call, callAll, countsOf, percentile, type Receipt } from '../harness/caller.ts';
import { type Run, scenario } from '../harness/scenario.ts';
import { type Books, exactBooks } from './books.ts';
import { service, useService } from './use-service.ts';

useService();

const PATH = '/v1/stocks/AAPL/capital-change-brief';
const PRICE = 10;
const GRANT = 1_000_000;
const LEAST_KILLS = 3;
const KILL_EVERY_MS = 2_000;
/** A claim that a dead API left ends after 15 s, and a busy machine takes seconds to start another one. */
const INSIST_MS = 240_000;
const PAUSE_MS = 250;
/** Calls of dead processes are voided within a minute. */
const SETTLED_MS = 90_000;

/** Kills one of the APIs or Redis, again and again, and starts it again, until the load is over. */
async function killUntil(run: Run, isOver: () => boolean, killed: () => void): Promise<void> {
  while (!isOver()) {
    await sleep(KILL_EVERY_MS);
    // Where a start takes longer than that, none would ever be up.
    await service.untilUp();
    killed();
    const api = service.apis[run.random(3)];
    if (api !== undefined) api.kill();
    else {
      await service.redis.kill();
      await service.redis.restart();
    }
  }
}

/** A customer that asks until it is answered, each time at the other API, under one name. */
async function insist(key: string, n: number): Promise<Receipt> {
  let receipt: Receipt = { status: 0, charged: 0, ms: 0 };
  const until = performance.now() + INSIST_MS;
  for (let at = 0; performance.now() < until; at += 1) {
    const origin = service.apis[(n + at) % service.apis.length]?.origin;
    receipt = await call({ url: `${origin}${PATH}`, key, name: `order ${n}` });
    if (receipt.status === 200) return receipt;
    await sleep(PAUSE_MS);
  }
  return receipt;
}

/** The books once no more than this is spent; else as they are in the end. */
async function settledBooks({ orgId }: CreatedKey, spent: number): Promise<Books> {
  const { store } = service;
  const left = async () => Number(await store.redis.hget(redisKeys(store.tag).org(orgId), 'bal'));
  await waitUntil(async () => (await left()) >= GRANT - spent, SETTLED_MS);
  return exactBooks(store, orgId);
}

scenario(
  'T26',
  'a kill every two seconds loses no credit and serves nothing free',
  async (run) => {
    const least = run.isLong ? 60_000 : 2_000;
    const insistent = await service.newKey(GRANT);
    const single = await service.newKey(GRANT);
    let isOver = false;
    let kills = 0;
    const killing = killUntil(
      run,
      () => isOver,
      () => {
        kills += 1;
      },
    ).finally(() => {
      isOver = true;
    });
    // A fast machine makes more calls, so that there are kills among them.
    const more = (n: number) => !isOver && (n < least || kills < LEAST_KILLS);
    const receipts = await callAll({ more, atOnce: 32 }, (n) => {
      if (n % 2 === 0) return insist(insistent.key, n);
      return call({ url: `${service.apis[n % 4 === 1 ? 0 : 1]?.origin}${PATH}`, key: single.key });
    });
    isOver = true;
    await killing;
    await service.untilUp();

    const named = receipts.filter((_, n) => n % 2 === 0);
    const plain = receipts.filter((_, n) => n % 2 === 1);
    expect(countsOf(named)).toEqual({ 200: named.length });
    const answered = plain.filter(({ status }) => status === 200).length;
    const exact = await settledBooks(insistent, named.length * PRICE);
    const books = await settledBooks(single, answered * PRICE);
    run.measured({
      ...{ calls: receipts.length, kills, answered: answered + named.length, lost: plain.length - answered },
      ...{ charges: exact.charges + books.charges, voids: exact.voids + books.voids },
      'p50 ms': percentile(receipts, 0.5),
    });
    expect(exact.spent).toBe(named.length * PRICE);
    // An answer that was on its way when its API died may be voided: an error is in the customer's favour.
    expect(books.spent).toBeLessThanOrEqual(answered * PRICE);
    expect(books.spent).toBeGreaterThan(0);
  },
  { timeoutMs: 7_200_000 },
);
