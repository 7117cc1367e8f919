import { beforeAll, expect } from 'vitest';
import { startApi } from '../../../src/serve.ts';
import { seedBrief, seed as seedCorpus } from '../../api/corpus.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { scenario } from '../harness/scenario.ts';
import { exactBooks } from './books.ts';

const PATH = '/v1/stocks/AAPL/capital-change-brief';
const DAY_MS = 86_400_000;
const PRICE = 10;

const stage = opened(openStage);

beforeAll(async () => {
  await seedCorpus(stage.world.mongo.db);
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

scenario(
  'T14',
  'an API whose clock jumps by a day serves the same brief and charges the same',
  async (run) => {
    const { world } = stage;
    let offsetMs = 0;
    const api = await startApi({ ...world.context, now: () => new Date(Date.now() + offsetMs) });
    const { key, orgId } = await stage.newKey(1_000);
    const get = (name?: string) =>
      fetch(`http://127.0.0.1:${api.port}${PATH}`, {
        headers: { authorization: `Bearer ${key}`, ...(name && { 'idempotency-key': name }) },
      });
    const first = await (await get('order 1')).text();
    for (const days of [1, -1]) {
      offsetMs = days * DAY_MS;
      // What was paid is not paid again, and what is new is paid once.
      const [again, plain] = [await get('order 1'), await get()];
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect([await again.text(), await plain.text()]).toEqual([first, first]);
    }
    await api.close();
    expect((await exactBooks(world.store, orgId)).spent).toBe(3 * PRICE);
    run.measured({ 'days off': '1 and -1' });
  },
);
