import { afterEach, describe, expect, test } from 'vitest';
import { requireNoEviction } from '../src/redis.ts';
import { openWorld, type World } from './world.ts';

const open: World[] = [];
const enter = async (): Promise<World> => {
  const world = await openWorld();
  open.push(world);
  return world;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((world) => world.close()));
});

describe('a world', () => {
  test('sees nothing that another world writes', async () => {
    const [one, other] = await Promise.all([enter(), enter()]);
    await one.mongo.db.collection('things').insertOne({ shares: 252_478_779n });
    expect(await one.mongo.db.collection('things').findOne({}, { projection: { _id: 0 } })).toEqual({
      shares: 252_478_779n,
    });
    expect(await other.mongo.db.collection('things').countDocuments()).toBe(0);
    expect(one.creditsTag).not.toBe(other.creditsTag);
    expect(one.config.queuePrefix).not.toBe(other.config.queuePrefix);
  });

  test('takes its database and its keys with it', async () => {
    const gone = await openWorld();
    const witness = await enter();
    await gone.mongo.db.collection('things').insertOne({ n: 1 });
    await gone.credits.set(`{${gone.creditsTag}}:o:x`, '1');
    await gone.queue.set(`{${gone.config.queuePrefix}}:parse:1`, '1');
    await gone.close();
    const { databases } = await witness.mongo.client.db('admin').admin().listDatabases({ nameOnly: true });
    expect(databases.map(({ name }) => name)).not.toContain(gone.config.mongoDb);
    expect(await witness.credits.keys(`*${gone.creditsTag}*`)).toEqual([]);
    expect(await witness.queue.keys(`*${gone.creditsTag}*`)).toEqual([]);
  });

  test('has credits and queues on separate Redis instances that never evict', async () => {
    const world = await enter();
    await requireNoEviction(world.credits, 'credits');
    await requireNoEviction(world.queue, 'queue');
    const ids = await Promise.all(
      [world.credits, world.queue].map(async (redis) => /run_id:(\w+)/.exec(await redis.info('server'))?.[1]),
    );
    expect(new Set(ids).size).toBe(2);
  });
});
