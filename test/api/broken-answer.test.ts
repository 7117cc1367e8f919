import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import { announcedBy } from '../../src/api/http/given.ts';
import { answerHot } from '../../src/api/metering/hot-path.ts';
import { type Api, closeApi, openApi } from '../../src/api/open.ts';
import { digestOf } from '../../src/credits/account/key.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { opened } from '../opened.ts';
import { PEPPER } from '../world.ts';
import { seedBrief } from './corpus.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);
beforeAll(async () => {
  await seedBrief(stage.world.mongo.db, 'AAPL', 'x');
});

function openParts(): Promise<Api> {
  return openApi(stage.world.context);
}

/** Serves the warm path alone, after `spoil` has made the answer impossible to write. */
async function serveSpoilt(api: Api, spoil: (res: ServerResponse) => void): Promise<Server> {
  const server = createServer((req, res) => {
    spoil(res);
    if (!answerHot(api, req, res, () => undefined)) res.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

/** Node's own `writeHead` refuses once, as it does for a header it finds invalid. */
function refuseOnce(res: ServerResponse): void {
  const original = res.writeHead;
  res.writeHead = () => {
    res.writeHead = original;
    throw new TypeError('Invalid character in header content');
  };
}

test.each([
  ['whose headers have left ends its connection', (res: ServerResponse) => res.flushHeaders(), 'ended'],
  ['that is refused becomes a 500', refuseOnce, '500 0 internal_error'],
])('a warm answer %s and is not charged', async (_name, spoil, outcome) => {
  const { key, keyId, orgId } = await stage.newKey(100);
  const api = await openParts();
  await api.accounts.find({ keyId, digest: digestOf(key, PEPPER) });
  await api.briefs.find('AAPL' as Ticker);
  const server = await serveSpoilt(api, spoil);
  const { port } = server.address() as AddressInfo;
  const path = '/v1/stocks/AAPL/capital-change-brief';
  const asked = fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const heard = asked.then(
    async (response) =>
      `${response.status} ${response.headers.get('x-credits-charged')} ${((await response.json()) as { error: string }).error}`,
  );
  expect(await heard.catch(() => 'ended')).toBe(outcome);
  const kinds = async (): Promise<unknown[]> => {
    await drainLog(stage.store);
    return (await latestRows(stage.store.db, orgId, 10)).map(({ kind }) => kind);
  };
  await expect.poll(kinds).toEqual(['void', 'charge', 'grant']);
  server.close();
  await closeApi(api);
});

test('a failure of ours before a call is opened, or in its work, is a 500', async () => {
  const { key } = await stage.newKey(100);
  const api = await openParts();
  const fails = (): never => {
    throw new Error('broken by a test');
  };
  const broken = [
    { ...api, readCredential: fails },
    { ...api, gate: { open: async () => fails() } },
    { ...api, turns: { run: async () => fails() } },
  ];
  for (const one of broken) {
    const server = createServer({ ServerResponse: announcedBy(api) }, createApp(one)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, { headers });
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'internal_error' }]);
    server.close();
  }
  await closeApi(api);
});
