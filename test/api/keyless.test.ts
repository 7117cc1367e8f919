import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage } from './stage.ts';

const BURST = 60;

let stage: Stage;
beforeAll(async () => {
  // It fills again within a minute: longer than the calls below take.
  stage = await openStage({ PAGES_PER_SECOND: '1', PAGES_BURST: String(BURST) });
});
afterAll(() => stage.close());

const statusOf = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(`${stage.origin}${path}`, { headers, method });
  await answer.arrayBuffer();
  return answer;
};

test('an address has a bucket of what it asks without a key; health is late beyond it, calls are not in it', async () => {
  const headers = { authorization: 'Bearer made up' };
  const served = await Promise.all(Array.from({ length: BURST }, () => statusOf('/docs', headers)));
  expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
  const pages = ['/docs', '/briefs/ccm_1', '/mcp/catalog', '/v1/no-such-path'].map((path) => ['GET', path]);
  const refused = await Promise.all(
    [...pages, ['POST', '/v1/funds'], ['POST', '/mcp']].map(([method, path = '']) =>
      statusOf(path, headers, method),
    ),
  );
  for (const answer of refused)
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true]);
  expect((await statusOf('/health/live')).status).toBe(200);
  expect((await statusOf('/v1/funds', {}, 'OPTIONS')).status).toBe(204);
  for (const method of ['GET', 'DELETE'])
    expect((await statusOf('/mcp?names=underscore', headers, method)).status).toBe(405);
  expect((await statusOf('/v1/funds')).status).toBe(401);
});
