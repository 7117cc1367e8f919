import { beforeAll, expect } from 'vitest';
import type { CreatedKey } from '../../../src/credits/account/key-life.ts';
import { redisKeys } from '../../../src/credits/redis-keys.ts';
import { openAgent } from '../../api/agent.ts';
import { seed as seedCorpus } from '../../api/corpus.ts';
import { opened } from '../../opened.ts';
import { call, callAll, type Receipt } from '../harness/caller.ts';
import { longScenario } from '../harness/scenario.ts';

const ORGANIZATIONS = 1_000;
const CALLS_EACH = 6;
/** For one call less than each makes. */
const GRANT = CALLS_EACH - 1;

const agent = opened(() => openAgent({ RATE_LIMIT_PER_SECOND: '0', MAX_CONNECTIONS_PER_ADDRESS: '10000' }));

beforeAll(async () => {
  await seedCorpus(agent.stage.world.mongo.db);
}, 120_000);

/** One over REST, the next as an agent tool; both of one balance. */
async function alternately(n: number, { key }: CreatedKey): Promise<Receipt> {
  const isRest = Math.floor(n / ORGANIZATIONS) % 2 === 0;
  if (isRest) return call({ url: `${agent.stage.origin}/v1/funds`, key });
  const started = performance.now();
  const { body } = await agent.call('fund.list', {}, key);
  const status = body?.result?.isError === true ? 402 : 200;
  return { status, charged: status === 200 ? 1 : 0, ms: performance.now() - started };
}

longScenario(
  'L04',
  'a thousand organisations over REST and MCP each spend exactly what they have',
  async (run) => {
    const { credits, creditsTag } = agent.stage.world;
    const keys: CreatedKey[] = [];
    for (let n = 0; n < ORGANIZATIONS; n += 1) keys.push(await agent.stage.newKey(GRANT));
    const calls = ORGANIZATIONS * CALLS_EACH;
    const started = performance.now();
    const receipts = await callAll({ more: (n) => n < calls, atOnce: 32 }, (n) =>
      alternately(n, keys[n % ORGANIZATIONS] as CreatedKey),
    );
    const seconds = (performance.now() - started) / 1_000;
    const served = receipts.filter(({ status }) => status === 200).length;
    const refused = receipts.filter(({ status }) => status === 402).length;
    run.measured({ served, refused, 'calls/s': Math.round(calls / seconds) });
    expect([served, refused]).toEqual([ORGANIZATIONS * GRANT, ORGANIZATIONS]);
    const balances = await Promise.all(
      keys.map(({ orgId }) => credits.hget(redisKeys(creditsTag).org(orgId), 'bal')),
    );
    expect(new Set(balances)).toEqual(new Set(['0']));
  },
  { timeoutMs: 600_000 },
);
