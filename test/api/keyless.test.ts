import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ PAGES_PER_SECOND: '1', PAGES_BURST: '3' });
});
afterAll(() => stage.close());

const statusOf = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${stage.origin}${path}`, { headers });
  await answer.arrayBuffer();
  return answer;
};

test('an address has a bucket of pages and files; health, keys and agents are not in it', async () => {
  const authorization = 'Bearer made up';
  const seen = [];
  for (let at = 0; at < 5; at += 1) seen.push((await statusOf('/docs', { authorization })).status);
  expect(seen).toEqual([200, 200, 200, 429, 429]);
  const refused = await statusOf('/briefs/ccm_1');
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await statusOf('/health/live')).status).toBe(200);
  expect((await statusOf('/v1/funds')).status).toBe(401);
});
