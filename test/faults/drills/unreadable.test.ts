import { expect } from 'vitest';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { drainLog } from '../../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { openStage } from '../../api/stage.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step } from './operator.ts';

const GRANTED = 1_000;
const stage = opened(openStage);

longScenario('T05', 'drill: credits that cannot be read', async () => {
  const { world, store } = stage;
  const { key } = await createKey(store, { orgName: 'customer', credits: GRANTED, label: '' });
  expect((await stage.get('/v1/events?limit=1', key)).status).toBe(200);
  step('Another program writes into the log of the credits');
  await world.credits.xadd(redisKeys(store.tag).log, '*', 'row', 'charge|nonsense');
  await drainLog(store);
  step('The check says what it is and where it stands');
  const found = await operator(world, 'credits', 'check');
  expect([found.code, found.stdout.includes('charge|nonsense')]).toEqual([1, true]);
  step('Find who wrote it, then set the fence: it prints the text and removes it, and no balance is changed');
  expect((await operator(world, 'credits', 'fence')).stdout).toContain('charge|nonsense');
  expect(await operator(world, 'credits', 'check')).toMatchObject({ code: 0 });
  const answer = await stage.get('/v1/events?limit=1', key);
  expect(Number(answer.headers.get('x-credits-balance'))).toBe(GRANTED - 2);
});
