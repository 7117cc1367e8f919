import { afterAll, beforeAll, expect } from 'vitest';
import { createKey } from '../../../src/credits/account/key-life.ts';
import { drainLog } from '../../../src/credits/ledger/drain.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { openStage, type Stage } from '../../api/stage.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step } from './operator.ts';

const GRANTED = 1_000;
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

longScenario('T05', 'drill: credits that cannot be read', async () => {
  const { world, store } = stage;
  const { key } = await createKey(store, { orgName: 'customer', credits: GRANTED, label: '' });
  expect((await stage.get('/v1/events?limit=1', key)).status).toBe(200);
  step('Another program writes into the log of the credits');
  await world.credits.xadd(redisKeys(store.tag).log, '*', 'row', 'charge|nonsense');
  await drainLog(store);
  expect((await operator(world, 'status')).stdout).toContain('credits texts that cannot be read: 1');
  step('See what it is and where it stood');
  const listed = await operator(world, 'credits', 'set-aside', 'list', '--json');
  const [{ id = '' } = {}] = JSON.parse(listed.stdout) as { id?: string }[];
  expect((await operator(world, 'credits', 'set-aside', 'show', id)).stdout).toContain('charge|nonsense');
  step('Prove that no balance is wrong');
  expect(await operator(world, 'credits', 'check')).toMatchObject({ code: 0 });
  step('Find who wrote it, then settle it: the text is kept, and no balance is changed');
  const note = ['--note', 'a script with the wrong URL'];
  expect(await operator(world, 'credits', 'set-aside', 'settle', id, ...note)).toMatchObject({ code: 0 });
  expect((await operator(world, 'status')).stdout).not.toContain('cannot be read');
  const answer = await stage.get('/v1/events?limit=1', key);
  expect(Number(answer.headers.get('x-credits-balance'))).toBe(GRANTED - 2);
});
