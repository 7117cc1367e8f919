// @module-tag long

import { beforeEach, expect } from 'vitest';
import { sequence } from '../../../jobs/sequence.ts';
import type { JobContext } from '../../../jobs/worker/context.ts';
import { ensureIndexes } from '../../../src/store/mongo/indexes.ts';
import { tidemark } from '../../cli/tidemark.ts';
import { accessionOf, addPending, sequencingIn, untilSequenced } from '../../flow/sequencing.ts';
import { opened } from '../../opened.ts';
import { openWorld } from '../../world.ts';
import { scenario } from '../harness/scenario.ts';
import { clientOf, WISHES } from './client.ts';

const world = opened(openWorld, beforeEach);
let context: JobContext;

beforeEach(async () => {
  await ensureIndexes(world.mongo.db);
  context = sequencingIn(world);
});

const COLLECTIONS = ['events', 'filings'] as const;

/** The two collections as they are now; the returned function puts them back. */
async function copyOfStream(): Promise<() => Promise<void>> {
  const { db } = world.mongo;
  const copies = await Promise.all(COLLECTIONS.map((name) => db.collection(name).find().toArray()));
  return async () => {
    for (const [n, name] of COLLECTIONS.entries()) {
      await db.collection(name).deleteMany({});
      await db.collection(name).insertMany(copies[n] ?? []);
    }
  };
}

scenario(
  'T13',
  'an older MongoDB under clients with newer cursors loses no event',
  async (run) => {
    const { db } = world.mongo;
    const clients = WISHES.map(clientOf);
    const catchUp = () => Promise.all(clients.map((client) => client.catchUp(db)));
    const before = 100 + run.random(100);
    const after = 100 + run.random(100);

    await addPending(world, 0, before);
    await untilSequenced(context);
    const restore = await copyOfStream();
    await addPending(world, before, after);
    await untilSequenced(context);
    await catchUp();
    await restore();
    // What was filed since the copy is found again, with one filing that is new.
    await addPending(world, before, after + 1);

    await expect(sequence(context, { slot: 0 })).rejects.toMatchObject({ code: 'events_restored' });
    expect((await tidemark(world, 'events', 'check')).code).toBe(1);
    const fenced = await tidemark(world, 'events', 'restore-fence');
    expect(fenced).toMatchObject({ code: 0, stdout: expect.stringContaining('are not used') });
    await untilSequenced(context);
    await catchUp();

    const all = Array.from({ length: before + after + 1 }, (_, n) => n);
    for (const [n, { forms }] of WISHES.entries()) {
      const wanted = all.filter((at) => forms.length === 0 || forms.includes(at % 5 === 0 ? '4/A' : '4'));
      expect([...(clients[n]?.accessions ?? [])].sort()).toEqual(wanted.map(accessionOf).sort());
    }
    const doubled = (clients[0]?.seqs.length ?? 0) - all.length;
    expect(doubled).toBe(after);
    expect(await tidemark(world, 'events', 'check')).toMatchObject({ code: 0, stderr: '' });
    run.measured({ events: all.length, 'delivered twice': doubled });
  },
  { seeds: { short: 1, long: 20 } },
);
