import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysIn } from '../../src/store/account/keys.ts';
import { type BreakingRedis, breakingRedis } from './breaking-redis.ts';
import { openSite, type Site } from './open-connect.ts';
import { creditsOf, hiddenOf, idOf, keyOn, visitor } from './visitor.ts';

let site: Site;
let breaking: BreakingRedis;
beforeAll(async () => {
  site = await openSite({}, async ({ config }) => {
    breaking = await breakingRedis(config.creditsRedisUrl ?? '');
    return breaking.redis;
  });
});
afterAll(async () => {
  await site.close();
  breaking.close();
});

test('when Redis fails at any step, the key is shown, or sending the form again shows one', async () => {
  const statuses: number[] = [];
  for (let messages = 0; ; messages += 1) {
    const name = `Broken after ${messages}`;
    const who = visitor(site.origin);
    const form = hiddenOf((await who.get('/connect')).text, '/connect/sign-up');
    breaking.breakAfter(messages);
    const first = await who.post('/connect/sign-up', { ...form, organisation: name });
    const wasAway = await breaking.mend();
    statuses.push(first.status);
    const isMade = first.status === 201;
    const seen = isMade ? first : await who.post('/connect/sign-up', { ...form, organisation: name });
    expect([messages, seen.status]).toEqual([messages, 201]);
    const key = keyOn(seen);
    expect(await creditsOf(site.origin, key)).toEqual({ status: 200, balance: 1_000 });
    expect((await visitor(site.origin).send('/connect/sign-in', { key })).status).toBe(303);
    expect(await keysIn(site.store.db).countDocuments({}, {})).toBe(messages + 1);
    expect(await keysIn(site.store.db).countDocuments({ _id: idOf(key) })).toBe(1);
    if (!wasAway) break;
  }
  // Away in the middle, until it is not needed any more. On a busy machine several commands are one message.
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(3);
  expect(statuses.at(-1)).toBe(201);
}, 300_000);
