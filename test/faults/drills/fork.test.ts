import { expect } from 'vitest';
import { waitUntil } from '../../../packages/embedded/wait.ts';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { drainLog } from '../../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step } from './operator.ts';

const GRANTED = 1_000;
const stage = opened(openStage);

longScenario('T05', 'drill: a fork of credits', async () => {
  const { world, store } = stage;
  const { key, orgId } = await createKey(store, { orgName: 'customer', credits: GRANTED, label: '' });
  const buy = async (): Promise<number | null> => {
    const answer = await stage.get('/v1/events?limit=1', key);
    return answer.status === 200 ? Number(answer.headers.get('x-credits-balance')) : null;
  };
  const before = await buy();
  await drainLog(store);
  expect((await operator(world, 'credits', 'check')).code).toBe(0);
  step('Somebody restores a Redis of another time: it has 500 credits more than the ledger');
  await world.credits.hincrby(redisKeys(store.tag).org(orgId), 'bal', 500);
  expect(await operator(world, 'credits', 'check')).toMatchObject({ code: 1 });
  step('Set the fence: what the ledger does not know of is not believed');
  expect(await operator(world, 'credits', 'fence')).toMatchObject({ code: 0 });
  let after: number | null = null;
  expect(
    await waitUntil(async () => {
      after = await buy();
      return after !== null;
    }, 60_000),
  ).toBe(true);
  await drainLog(store);
  expect(await operator(world, 'credits', 'check')).toMatchObject({ code: 0 });
  expect([before, after]).toEqual([GRANTED - 1, GRANTED - 2]);
});
