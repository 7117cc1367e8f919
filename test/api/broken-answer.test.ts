import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../src/api/api.ts';
import { awayLog } from '../../src/api/away-log.ts';
import { briefSource } from '../../src/api/brief-source.ts';
import { credentialReader } from '../../src/api/credential.ts';
import { openHotBriefs } from '../../src/api/hot.ts';
import { answerHot } from '../../src/api/hot-path.ts';
import { rememberAccounts } from '../../src/credits/accounts.ts';
import { openGate } from '../../src/credits/gate.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { startVoids } from '../../src/credits/voids.ts';
import { openWallet } from '../../src/credits/wallet.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { createLogger } from '../../src/log.ts';
import { seedBrief } from './corpus.ts';
import { openStage, PEPPER, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});
afterAll(() => stage.close());

async function openParts(): Promise<Api> {
  const { mongo, credits: redis, creditsTag } = stage.world;
  const keys = redisKeys(creditsTag);
  const wallet = openWallet(redis, keys, { exposureCap: 0 });
  const accounts = rememberAccounts(mongo.db);
  const log = createLogger('silent', 'test');
  return {
    db: mongo.db,
    redis,
    log,
    away: awayLog(log),
    siteUrl: 'https://tidemark.test',
    readCredential: credentialReader(PEPPER),
    accounts,
    wallet,
    gate: openGate({ redis, keys, wallet, accounts }),
    voids: startVoids(wallet, () => undefined),
    briefs: await openHotBriefs(redis, keys.heads, briefSource(mongo.db)),
  };
}

test('a warm answer that cannot be written ends its connection and is not paid', async () => {
  const { key, keyId, orgId } = await stage.newKey(100);
  const api = await openParts();
  await api.accounts.find(keyId);
  await api.briefs.find('AAPL' as Ticker);
  const taken: boolean[] = [];
  // Headers that have left already: the answer's own cannot be written any more.
  const server = createServer((req, res) => {
    res.flushHeaders();
    taken.push(answerHot(api, req, res, () => undefined));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const path = '/v1/stocks/AAPL/capital-change-brief';
  const asked = fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  await expect(asked.then((response) => response.text())).rejects.toThrow();
  expect(taken).toEqual([true]);
  const balance = (): Promise<string | null> =>
    stage.world.credits.hget(redisKeys(stage.world.creditsTag).org(orgId), 'bal');
  await expect.poll(balance).toBe('100');
  const entries = await stage.world.credits.xrange(redisKeys(stage.world.creditsTag).log, '-', '+');
  const kinds = entries.filter(([, fields]) => fields.includes(orgId)).map(([, fields]) => fields[1]);
  expect(kinds).toEqual(['grant', 'charge', 'void']);
  server.close();
  await api.briefs.close();
});
