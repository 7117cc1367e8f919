// @module-tag long
import { cpSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import type { CreatedKey } from '../../../src/credits/account/key-life.ts';
import { call, callAll, countsOf, type Receipt } from '../harness/caller.ts';
import { type Run, scenario } from '../harness/scenario.ts';
import { type Books, exactBooks } from './books.ts';
import { service, useService } from './use-service.ts';

useService();

const PATH = '/v1/stocks/AAPL/capital-change-brief';
const GRANT = 1_000_000;
/** `CREDITS_EXPOSURE_PER_ORG` of these APIs. */
const CAP = 2_000;
const BACK_MS = 10_000;
const ANSWERED_MS = 240_000;

type Load = { readonly stop: () => Promise<Receipt[]>; readonly made: () => number };

/** Calls of one key at both APIs, until they are stopped. */
function startLoad({ key }: CreatedKey): Load {
  let isOver = false;
  let made = 0;
  const receipts = callAll({ more: () => !isOver, atOnce: 16 }, async (n) => {
    const receipt = await call({ url: `${service.apis[n % 2]?.origin}${PATH}`, key });
    made += receipt.status === 200 ? 1 : 0;
    return receipt;
  });
  return {
    made: () => made,
    stop: () => {
      isOver = true;
      return receipts;
    },
  };
}

/** So many more calls are answered. Returns the milliseconds. */
async function answers(load: Load, count: number): Promise<number> {
  const started = performance.now();
  const wanted = load.made() + count;
  expect(await waitUntil(() => load.made() >= wanted, ANSWERED_MS)).toBe(true);
  return Math.round(performance.now() - started);
}

const books = ({ orgId }: CreatedKey): Promise<Books> => exactBooks(service.store, orgId);

const paidBy = (receipts: readonly Receipt[]): number =>
  receipts.reduce((sum, { charged }) => sum + charged, 0);

function expectOnly(receipts: readonly Receipt[]): void {
  const others = receipts.filter(({ status }) => status !== 200 && status !== 503);
  expect(countsOf(others)).toEqual({});
}

/** Redis loses the end of its file, as in a power cut. Returns the bytes. */
function cutTail(folder: string, { random }: Run): number {
  const files = join(folder, 'appendonlydir');
  const file = readdirSync(files).find((name) => name.endsWith('.incr.aof')) ?? '';
  const path = join(files, file);
  const { size } = statSync(path);
  const lost = Math.min(size, 1_024 * (1 + random(500)));
  truncateSync(path, size - lost);
  return lost;
}

scenario(
  'T03',
  'a killed Redis loses no charge; one that lost its last seconds loses less than the cap',
  async (run) => {
    const who = await service.newKey(GRANT);
    // By default Redis may answer before it writes, for as long as its disk is busy: T26 counts what that gives away.
    const syncAlways = () => service.store.redis.config('SET', 'appendfsync', 'always');
    await syncAlways();
    const load = startLoad(who);
    for (let n = 0; n < (run.isLong ? 5 : 2); n += 1) {
      await answers(load, 50);
      await service.redis.kill();
      await service.redis.restart();
      await syncAlways();
    }
    await answers(load, 50);
    const whole = await load.stop();
    expectOnly(whole);
    const before = await books(who);
    // What Redis alone knew came back with it: each answered call has its charge.
    expect(before.spent).toBeGreaterThanOrEqual(paidBy(whole));
    expect(before.unexplained).toBe(0);

    await service.store.redis.config('SET', 'appendfsync', 'everysec');
    const cut = startLoad(who);
    await answers(cut, 50);
    await service.redis.kill();
    const bytes = cutTail(service.redis.folder, run);
    await service.redis.restart();
    const backAfter = await answers(cut, 50);
    const receipts = await cut.stop();
    expectOnly(receipts);
    const after = await books(who);
    const lost = paidBy(whole) + paidBy(receipts) - after.spent;
    expect(lost).toBeLessThanOrEqual(CAP);
    expect(after.balance).toBe(GRANT - after.spent + after.unexplained);
    run.measured({
      ...countsOf([...whole, ...receipts]),
      'bytes cut': bytes,
      'credits lost': Math.max(0, lost),
      'back after ms': backAfter,
    });
    expect(backAfter).toBeLessThan(run.within(BACK_MS));
  },
  { seeds: { short: 1, long: 3 } },
);

scenario(
  'T05',
  'a Redis of an older copy is not believed: the ledger is',
  async (run) => {
    const who = await service.newKey(GRANT);
    const { folder } = service.redis;
    const copy = `${folder}-copy`;
    const load = startLoad(who);
    await answers(load, 50);
    // As `cp` of a backup takes it, while Redis writes.
    cpSync(folder, copy, { recursive: true });
    await answers(load, run.isLong ? 2_000 : 200);
    await service.redis.kill();
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    await service.redis.restart();
    const backAfter = await answers(load, 50);
    const receipts = await load.stop();
    expectOnly(receipts);
    const after = await books(who);
    const lost = paidBy(receipts) - after.spent;
    run.measured({ ...countsOf(receipts), 'credits lost': Math.max(0, lost), 'back after ms': backAfter });
    expect(backAfter).toBeLessThan(run.within(BACK_MS));
    expect(lost).toBeLessThanOrEqual(CAP);
  },
  { seeds: { short: 1, long: 3 } },
);
