import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Beat,
  ownerOf,
  type Predecessor,
  type Task,
  type Timing,
  underLock,
} from '../../src/store/mongo/lock.ts';
import { openWorld, type World } from '../world.ts';

const ID = 'import|one';
const SOON: Timing = { lookMs: 10, staleMs: 300 };
/** For what must not depend on silence. */
const NEVER: Timing = { lookMs: 10, staleMs: 3_600_000 };

let world: World;
let db: Db;
let ended: number;
beforeAll(async () => {
  world = await openWorld();
  db = world.mongo.db;
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  ended = child.pid ?? 0;
  await once(child, 'exit');
});
afterAll(() => world?.close());

type Lock = { _id: string; value: string; beat: number };
const locks = () => db.collection<Lock>('settings');
beforeEach(() => locks().deleteMany({ _id: ID }));

const heldBy = (value: string) => locks().insertOne({ _id: ID, value, beat: 7 });

/** Runs `work` under the lock. Returns what was seen until then. */
async function lockedBy(
  timing: Timing,
  work: Task['work'] = async () => undefined,
  onWait: () => void = () => undefined,
) {
  const began = performance.now();
  const seen = { waits: 0, waitedMs: 0, predecessor: 'none' as Predecessor };
  await underLock(
    db,
    {
      id: ID,
      isOver: async () => false,
      onWait: () => {
        seen.waits += 1;
        onWait();
      },
      work: async (beat, predecessor) => {
        Object.assign(seen, { predecessor, waitedMs: performance.now() - began });
        await work(beat, predecessor);
      },
    },
    timing,
  );
  return seen;
}

test('a lock of a process that is seen to have ended is taken at once', async () => {
  await heldBy(ownerOf(ended));
  expect(await lockedBy(NEVER)).toMatchObject({ waits: 0, predecessor: 'dead' });
  expect(await locks().countDocuments({ _id: ID })).toBe(0);
});

describe('a silent lock is waited for until it is stale', () => {
  const [, namespace = '', boot = '', , uuid] = ownerOf(1).split('|');
  test.each([
    ['of a live process', () => ownerOf(process.pid)],
    ['of another host', () => `elsewhere|${namespace}|${boot}|${ended}|${uuid}`],
    ['of another container', () => `${hostname()}|pid:[1]|${boot}|${ended}|${uuid}`],
    ['of a copy of the machine', () => `${hostname()}|${namespace}|another boot|${ended}|${uuid}`],
    ['of a system without /proc', () => `${hostname()}|||${ended}|${uuid}`],
  ])('%s', async (_, owner) => {
    await heldBy(owner());
    const { waits, waitedMs, predecessor } = await lockedBy(SOON);
    expect({ waits, predecessor }).toEqual({ waits: 1, predecessor: 'dead' });
    // Timers may fire a millisecond early.
    expect(waitedMs).toBeGreaterThan(SOON.staleMs * 0.8);
  });
});

test('of several at once never two hold a lock that is free or was left', async () => {
  for (const left of [false, true]) {
    if (left) await heldBy(ownerOf(ended));
    let [inside, most, runs] = [0, 0, 0];
    const work = async (): Promise<void> => {
      inside += 1;
      runs += 1;
      most = Math.max(most, inside);
      await sleep(15);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 8 }, () => lockedBy(NEVER, work)));
    expect({ most, runs }).toEqual({ most: 1, runs: 8 });
  }
});

test('one that was taken for dead learns it by its beat, and leaves the lock to the other', async () => {
  let lost: unknown;
  let other: Promise<{ predecessor: Predecessor }> | undefined;
  // Silent for much longer than the other one waits.
  await lockedBy(NEVER, async (beat: Beat) => {
    await beat();
    const tookOver = new Promise<void>((resolve) => {
      other = lockedBy(SOON, async (own) => {
        resolve();
        await expect.poll(() => lost).toBeDefined();
        await sleep(50);
        await own();
      });
    });
    await tookOver;
    lost = await beat().catch((error: unknown) => error);
  });
  expect(lost).toMatchObject({ code: 'lock_lost', retry: true });
  expect(await other).toMatchObject({ predecessor: 'dead' });
});

test('one that lost its lock waits for the other one, and begins again after it', async () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let runs = 0;
  const seen = await lockedBy(
    NEVER,
    async (beat) => {
      runs += 1;
      if (runs > 1) return beat();
      await new Promise<void>((resolve) => {
        void lockedBy(SOON, async () => {
          resolve();
          await ended;
        });
      });
      await beat();
    },
    end,
  );
  expect({ runs, ...seen }).toMatchObject({ runs: 2, waits: 1, predecessor: 'alive' });
  expect(await locks().countDocuments({ _id: ID })).toBe(0);
});

test('one that lost its lock takes it again when nobody has it any more', async () => {
  let runs = 0;
  const seen = await lockedBy(NEVER, async (beat) => {
    runs += 1;
    if (runs === 1) await lockedBy(SOON);
    await beat();
  });
  expect({ runs, ...seen }).toMatchObject({ runs: 2, waits: 0, predecessor: 'alive' });
});

test('one whose work fails gives the lock back and does not begin again', async () => {
  let runs = 0;
  const failing = async (): Promise<void> => {
    runs += 1;
    throw new Error('out of disk');
  };
  await expect(lockedBy(NEVER, failing)).rejects.toThrow('out of disk');
  expect([runs, await locks().countDocuments({ _id: ID })]).toEqual([1, 0]);
});

test('a holder that gave the lock back, or whose beat rose before it died, was alive', async () => {
  let other: Promise<{ waits: number; predecessor: Predecessor }> | undefined;
  const first = await lockedBy(NEVER, async () => {
    await new Promise<void>((resolve) => {
      other = lockedBy(NEVER, undefined, resolve);
    });
  });
  expect(first).toMatchObject({ waits: 0, predecessor: 'none' });
  expect(await other).toMatchObject({ waits: 1, predecessor: 'alive' });

  await heldBy('elsewhere|||1|one');
  await new Promise<void>((resolve) => {
    other = lockedBy(SOON, undefined, resolve);
  });
  await locks().updateOne({ _id: ID }, { $inc: { beat: 1 } });
  expect(await other).toMatchObject({ waits: 1, predecessor: 'alive' });
});
