import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';
import type { JobContext } from '../../../jobs/worker/context.ts';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { checkEvents } from '../../../src/read/audit/events.ts';
import { filingsIn } from '../../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../../src/store/mongo/indexes.ts';
import { addPending, sequencingIn } from '../../flow/sequencing.ts';
import { streamOf } from '../../flow/shown.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { type Child, openChildren } from '../harness/child.ts';
import { type FaultPoint, faultEnv } from '../harness/fault-point.ts';
import { IS_LONG, type Run, scenario } from '../harness/scenario.ts';
import { type Client, clientOf, WISHES } from './client.ts';

const SEQUENCER = new URL('./sequencer.ts', import.meta.url);
/** It may take as long as the machine needs. */
const LIMIT_MS = IS_LONG ? 1_500_000 : 240_000;

const world = opened(openWorld, beforeEach);
let context: JobContext;
const children = openChildren();

beforeEach(async () => {
  await ensureIndexes(world.mongo.db);
  context = sequencingIn(world);
});
afterEach(async () => {
  children.killAll();
});

const startSequencer = (point: FaultPoint | null): Child =>
  children.startProgram(SEQUENCER, { ...world.env, ...faultEnv(point) });

async function expectAllPublished(count: number): Promise<void> {
  const isDone = async () =>
    (await filingsIn(world.mongo.db).countDocuments({ event: 'published' })) === count;
  expect(await waitUntil(isDone, LIMIT_MS)).toBe(true);
  const check = await checkEvents(world.mongo.db, await context.highestSeq.read(), new Date());
  expect(check).toMatchObject({ problem_count: 0, events: count, head: count });
}

/** Each client has exactly the events that it asked for, once each and in their order. */
async function expectServed(clients: readonly Client[]): Promise<void> {
  const { db } = world.mongo;
  for (const client of clients) await client.catchUp(db);
  const stream = await streamOf(db);
  for (const [n, { forms }] of WISHES.entries()) {
    const form = ([, accession]: [number, string]) => (Number(accession.slice(-6)) % 5 === 0 ? '4/A' : '4');
    const wanted = stream.filter((event) => forms.length === 0 || forms.includes(form(event)));
    expect(clients[n]?.seqs).toEqual(wanted.map(([seq]) => seq));
  }
}

/** One life after another, each up to a random command, until told to end; returns how many died. */
async function mortalSequencers({ random }: Run, isOver: () => boolean): Promise<number> {
  let died = 0;
  while (!isOver()) {
    const child = startSequencer({ at: '*', nth: 1 + random(40), signal: 'SIGKILL' });
    await waitUntil(() => child.hasEnded() || isOver(), LIMIT_MS);
    if (child.hasEnded()) died += 1;
    else child.signal('SIGKILL');
  }
  return died;
}

scenario(
  'T24',
  'sequencers that die at any command hide no event from any poller',
  async (run) => {
    const { db } = world.mongo;
    const lanes = run.isLong ? 8 : 2;
    const count = run.count({ short: 200, long: 20_000 });
    const clients = WISHES.map(clientOf);
    let isOver = false;
    const polling = clients.map(async (client) => {
      while (!isOver) {
        await client.catchUp(db);
        await sleep(10);
      }
    });
    const deaths = Array.from({ length: lanes }, () => mortalSequencers(run, () => isOver));
    for (let from = 0; from < count; from += 200) await addPending(world, from, 200);
    await expectAllPublished(count);
    isOver = true;
    await Promise.all(polling);
    await expectServed(clients);
    const died = (await Promise.all(deaths)).reduce((sum, one) => sum + one, 0);
    run.measured({ events: count, sequencers: lanes, 'of them killed': died });
    expect(died).toBeGreaterThan(0);
  },
  { seeds: { short: 1, long: 3 }, tags: ['long'], timeoutMs: IS_LONG ? 1_800_000 : 900_000 },
);

const STOPS = ['events.insertMany:before', 'events.insertMany:after', 'filings.bulkWrite:before'];

scenario(
  'T09',
  'a sequencer that was stopped in its batch does no harm when it goes on',
  async (run) => {
    await addPending(world, 0, 300);
    const at = STOPS[run.random(STOPS.length)] ?? '';
    const zombie = startSequencer({ at, nth: 1, signal: 'SIGSTOP' });
    await zombie.until('struck');
    const other = startSequencer(null);
    await expectAllPublished(300);
    await addPending(world, 300, 300);
    await expectAllPublished(600);
    zombie.signal('SIGCONT');
    other.signal('SIGKILL');
    // Now the one that was stopped is alone, and must still work.
    await addPending(world, 600, 100);
    await expectAllPublished(700);
    expect(zombie.hasEnded()).toBe(false);
    run.measured({ 'stopped at': at });
  },
  { seeds: { short: 1, long: 9 }, tags: ['long'] },
);
