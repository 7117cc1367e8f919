import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { readDescription } from '../described.ts';
import { opened } from '../opened.ts';
import { openAgent } from './agent.ts';
import { seed, seedBrief } from './corpus.ts';

const agent = opened(openAgent);
beforeAll(async () => {
  await seed(agent.stage.world.mongo.db);
  await seedBrief(agent.stage.world.mongo.db, 'AAPL', 'x');
});

/** What a bare socket hears until the server ends the connection; `more` is written for as long as it is open. */
function spoken(head: string, more: string): Promise<string> {
  return new Promise((resolve) => {
    let writing: NodeJS.Timeout | undefined;
    const socket = connect(Number(new URL(agent.stage.origin).port), '127.0.0.1', () => {
      socket.write(head);
      writing = setInterval(() => socket.write(more), 1);
    });
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(writing);
      resolve(heard);
    });
  });
}

describe('a body that is too large', () => {
  const head = (rest: string, key: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${rest}\r\n\r\n`;

  test('is 413 and ends the connection: announced, and in chunks without an end', async () => {
    const { key } = await agent.stage.newKey(10);
    const announced = await spoken(head('Content-Length: 103424', key), 'x'.repeat(1_000));
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;
    const endless = await spoken(head('Transfer-Encoding: chunked', key), chunk.repeat(20));
    expect(endless).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('is not unpacked', async () => {
    const { key } = await agent.stage.newKey(10);
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const answer = await fetch(agent.url, { method: 'POST', headers, body: bomb });
    // The name of this Host is not among those of the tools, or the coding is not taken: never 200.
    expect([403, 415]).toContain(answer.status);
  });
});

test('thousands of tickers are refused, in a URL and in a message', async () => {
  const { key } = await agent.stage.newKey(10);
  const tickers = Array.from({ length: 50_000 }, () => 'A');
  expect((await agent.stage.get(`/v1/events?tickers=${tickers.slice(0, 51).join(',')}`, key)).status).toBe(
    400,
  );
  const long = `/v1/events?tickers=${tickers.slice(0, 5_000).join(',')}`;
  expect((await agent.stage.get(long, key)).status).toBe(414);
  expect((await agent.call('events.latest', { tickers }, key)).status).toBe(413);
  const listed = await agent.call('events.latest', { tickers: tickers.slice(0, 51) }, key);
  expect(listed.body.error?.code ?? listed.body.result?.isError).toBeTruthy();
  expect((await agent.stage.get('/v1/credits', key)).body.data.balance).toBe(10);
});

test('no route shows anything of another organisation, or replays its calls', async () => {
  const [owner, other] = [await agent.stage.newKey(1_000), await agent.stage.newKey(1_000)];
  const watched = { tickers: ['ZZTOP'], ciks: ['0000999999'] };
  await replaceWatchlist(agent.stage.world.mongo.db, owner.orgId, watched, new Date().toISOString());
  const secrets = [owner.orgId, owner.orgName, owner.keyId, 'ZZTOP', '0000999999'];
  for (const endpoint of ENDPOINTS) {
    const given = new Map(Object.entries(endpoint.example).map(([name, value]) => [name, String(value)]));
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = given.get(name) ?? '';
      given.delete(name);
      return encodeURIComponent(value);
    });
    const address = `/v1${path}?${new URLSearchParams([...given])}`.replace(/\?$/, '');
    const named = { 'idempotency-key': `of ${endpoint.name}` };
    await agent.stage.get(address, owner.key, named);
    const seen = await agent.stage.get(address, other.key, named);
    expect(seen.headers.get('idempotent-replayed'), address).toBeNull();
    for (const secret of secrets) expect(seen.text, address).not.toContain(secret);
  }
});

test('a key reads: no route that takes one changes anything, and nothing of the operator is on this port', async () => {
  const { document } = readDescription('https://tidemark.test');
  const methods = Object.values(document.paths).flatMap((path) => Object.keys(path as object));
  expect([...new Set(methods)]).toEqual(['get']);
  const { key } = await agent.stage.newKey(10);
  for (const path of ['/admin', '/board', '/queues', '/admin/queues', '/v1/admin', '/v1/keys', '/metrics']) {
    expect((await agent.stage.get(path, key)).status, path).toBe(404);
  }
});
