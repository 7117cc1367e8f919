import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysIn } from '../../src/store/account/keys.ts';
import { type BreakingRedis, breakingRedis } from './breaking-redis.ts';
import { openSite, type Site } from './open-connect.ts';
import { creditsOf, hiddenOf, idOf, keyOn, visitor } from './visitor.ts';

type Broken = { readonly site: Site; readonly breaking: BreakingRedis };

/** Side by side: most of the time goes into waiting for a Redis that is away. */
const SITES = 3;
let opened: Broken[] = [];

beforeAll(async () => {
  opened = await Promise.all(Array.from({ length: SITES }, openBroken));
});
afterAll(async () => {
  await Promise.all(opened.map(({ site }) => site.close()));
  for (const { breaking } of opened) breaking.close();
});

async function openBroken(): Promise<Broken> {
  let breaking: BreakingRedis | undefined;
  const site = await openSite({}, async ({ config }) => {
    breaking = await breakingRedis(config.creditsRedisUrl ?? '');
    return breaking.redis;
  });
  if (breaking === undefined) throw new Error('the site opened no Redis');
  return { site, breaking };
}

type SignedUp = { readonly status: number; readonly wasAway: boolean };

/** Signs up while Redis goes away after so many messages, again if that failed, and uses the key. */
async function signUp({ site, breaking }: Broken, messages: number): Promise<SignedUp> {
  const name = `Broken after ${messages}`;
  const who = visitor(site.origin);
  const form = hiddenOf((await who.get('/connect')).text, '/connect/sign-up');
  const keysBefore = await keysIn(site.store.db).countDocuments();
  breaking.breakAfter(messages);
  const first = await who.post('/connect/sign-up', { ...form, organisation: name });
  const wasAway = await breaking.mend();
  const isMade = first.status === 201;
  const seen = isMade ? first : await who.post('/connect/sign-up', { ...form, organisation: name });
  expect([messages, seen.status]).toEqual([messages, 201]);
  const key = keyOn(seen);
  expect(await creditsOf(site.origin, key)).toEqual({ status: 200, balance: 1_000 });
  expect((await visitor(site.origin).send('/connect/sign-in', { key })).status).toBe(303);
  expect(await keysIn(site.store.db).countDocuments()).toBe(keysBefore + 1);
  expect(await keysIn(site.store.db).countDocuments({ _id: idOf(key) })).toBe(1);
  return { status: first.status, wasAway };
}

test('when Redis fails at any step, the key is shown, or sending the form again shows one', {
  tags: ['long'],
  timeout: 300_000,
}, async () => {
  const ends = await Promise.all(
    opened.map(async (broken, from) => {
      const statuses: number[] = [];
      for (let messages = from; ; messages += SITES) {
        const { status, wasAway } = await signUp(broken, messages);
        statuses.push(status);
        if (!wasAway) return statuses;
      }
    }),
  );
  // Away in the middle, until it is not needed any more. On a busy machine several commands are one message.
  expect(ends.flat().filter((status) => status === 503).length).toBeGreaterThan(3);
  expect(ends.map((statuses) => statuses.at(-1))).toEqual(ends.map(() => 201));
});
