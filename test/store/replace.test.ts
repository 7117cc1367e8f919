import { afterAll, beforeAll, expect, test } from 'vitest';
import { replaceUnlessNewer, type Versioned } from '../../src/store/mongo/write.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('of versions that are written at once, as first writes too, the latest is stored', async () => {
  const docs = world.mongo.db.collection<Versioned>('replaced');
  for (let round = 0; round < 20; round += 1) {
    const _id = `document ${round}`;
    const versions = [3, 1, 5, 2, 4];
    const stored = await Promise.all(versions.map((version) => replaceUnlessNewer(docs, { _id, version })));
    expect(stored[2]).toBe(true);
    expect(Number((await docs.findOne({ _id }))?.version)).toBe(5);
    expect(await replaceUnlessNewer(docs, { _id, version: 4 })).toBe(false);
  }
});
