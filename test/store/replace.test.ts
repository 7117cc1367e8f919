import { expect, test } from 'vitest';
import { replaceUnlessNewer, type Versioned } from '../../src/store/mongo/write.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);

test('of versions that are written at once, as first writes too, the latest is stored', async () => {
  const docs = world.mongo.db.collection<Versioned>('replaced');
  for (let round = 0; round < 20; round += 1) {
    const _id = `document ${round}`;
    const versions = [3, 1, 5, 2, 4];
    await Promise.all(versions.map((version) => replaceUnlessNewer(docs, [{ _id, version }])));
    expect(Number((await docs.findOne({ _id }))?.version)).toBe(5);
    await replaceUnlessNewer(docs, [{ _id, version: 4 }]);
    expect(Number((await docs.findOne({ _id }))?.version)).toBe(5);
  }
});

test('of several documents in one command, and of two such commands at once, the latest version of each is stored', async () => {
  const docs = world.mongo.db.collection<Versioned>('replaced_together');
  const every = (versionOf: (n: number) => number): Versioned[] =>
    Array.from({ length: 40 }, (_, n) => ({ _id: `document ${n}`, version: versionOf(n) }));
  // Of half of them a later version is stored before.
  await replaceUnlessNewer(docs, every(() => 9).slice(0, 20));
  const odd = every((n) => 1 + (n % 2));
  const even = every((n) => 2 - (n % 2));
  await Promise.all([replaceUnlessNewer(docs, odd), replaceUnlessNewer(docs, even)]);
  const stored = new Map((await docs.find().toArray()).map(({ _id, version }) => [_id, Number(version)]));
  const latest = every((n) => (n < 20 ? 9 : 2)).map(({ _id, version }) => [_id, version] as const);
  expect(stored).toEqual(new Map(latest));
  await replaceUnlessNewer(docs, []);
});
