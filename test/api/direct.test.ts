import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/api/app.ts';
import { answerDirect } from '../../src/api/direct.ts';
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { announcedBy } from '../../src/api/http/given.ts';
import { type Api, closeApi, openApi } from '../../src/api/open.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openWorld, type World } from '../world.ts';
import { seed, seedBrief } from './corpus.ts';

/** Of one call, or of the balance. */
const VARYING = ['date', 'x-credits-balance', 'ratelimit'];
const ID = 'the-same-request';

let world: World;
let api: Api;
let good = '';
let poor = '';

beforeAll(async () => {
  world = await openWorld({ SITE_URL: 'https://tidemark.test', FAILED_AUTH_PER_MINUTE: '0' });
  await ensureIndexes(world.mongo.db);
  await seed(world.mongo.db);
  await seedBrief(world.mongo.db, 'AAPL', 'x');
  api = await openApi(world.context);
  good = (await createKey(world.store, { orgName: 'Good', credits: 1_000_000, label: 'test' })).key;
  poor = (await createKey(world.store, { orgName: 'Poor', credits: 0, label: 'test' })).key;
});
afterAll(async () => {
  await closeApi(api);
  await world.close();
});

type Asked = {
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer without what differs between two calls. */
type Answer = { readonly status: number; readonly headers: unknown; readonly body: string };
type Ask = (asked: Asked) => Promise<Answer>;

/** The same call, answered by Express alone and by what stands in front of it. */
async function withBoth(
  api: Api,
  work: (ask: { express: Ask; direct: Ask; taken: () => number }) => Promise<void>,
) {
  const app = createApp(api);
  let taken = 0;
  const direct = (req: IncomingMessage, res: ServerResponse): void => {
    if (answerDirect(api, req, res)) taken += 1;
    else app(req, res);
  };
  const servers = [app, direct].map((one) => createServer({ ServerResponse: announcedBy(api) }, one));
  const [express, front] = await Promise.all(servers.map(listening));
  try {
    await work({
      express: (asked) => send(express ?? 0, asked),
      direct: (asked) => send(front ?? 0, asked),
      taken: () => taken,
    });
  } finally {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  }
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function send(port: number, { path, method = 'GET', token, headers = {} }: Asked): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const all = { 'x-request-id': ID, ...authorization, ...headers };
    const asked = request({ port, path, method, headers: all }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const given = Object.entries(res.headers).filter(([name]) => !VARYING.includes(name));
        resolve({
          status: res.statusCode ?? 0,
          headers: given,
          body: Buffer.concat(chunks).toString('latin1'),
        });
      });
      res.on('error', reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}

function exampleOf({ path, example }: Endpoint): string {
  const rest = new Map<string, string | number>(Object.entries(example));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '');
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    Object.fromEntries([...rest].map(([name, value]) => [name, String(value)])),
  );
  return `/v1${filled}${query.size === 0 ? '' : `?${query}`}`;
}

const SHAPES: Readonly<Record<string, string>>[] = [
  {},
  { 'accept-encoding': 'gzip' },
  { accept: 'text/csv' },
  { accept: 'text/csv;q=0.1, application/json' },
  { 'if-none-match': '*' },
  { 'idempotency-key': '' },
  { connection: 'close' },
];

/** The call of an endpoint in many shapes. */
function shapesOf(path: string): Asked[] {
  const joined = path.includes('?') ? '&' : '?';
  const addresses = [path, `${path}${joined}`, `${path}${joined}nothing=1`];
  const tokens = [good, poor, `${good}x`, undefined].map((token) => (token === undefined ? {} : { token }));
  return addresses.flatMap((address) =>
    tokens.flatMap((token) => SHAPES.map((headers) => ({ path: address, headers, ...token }))),
  );
}

describe('a call without Express is answered as by Express', () => {
  test.each(ENDPOINTS.map((one) => [one.name, exampleOf(one)] as const))('%s', async (_name, path) => {
    await withBoth(api, async ({ express, direct, taken }) => {
      const shapes = shapesOf(path);
      for (const asked of shapes) {
        expect(await direct(asked), JSON.stringify(asked)).toEqual(await express(asked));
      }
      expect(taken()).toBe(shapes.length);
      for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT']) {
        const asked = { path, method, token: good };
        expect(await direct(asked), method).toEqual(await express(asked));
      }
      expect(taken()).toBe(shapes.length);
    });
  });

  test.each([
    '/v1',
    '/v1/',
    '/v1//funds',
    '/v1/funds/',
    '/v1/Funds',
    '/V1/funds',
    '/v1/%66unds',
    '/v1/funds#part',
    '/v1/funds?limit=2#part',
    '/v1/funds?',
    '/v1/funds?limit=2&limit=3',
    '/v1/funds?limit=%zz',
    '/v1/funds/%zz',
    '/v1/funds/%E0%A4%A/holdings',
    '/v1/funds/1067983/',
    '/v1/funds/1067983/holdings/more',
    '/v1/funds/10%2F67983',
    '/v1/funds/%00',
    '/v1/stocks/BRK%2FB/capital-change-brief',
    '/v1/stocks/%41APL/capital-change-brief',
    '/v1/stocks//capital-change-brief',
    '/v1/stocks/capital-change-brief',
    '/v1/nothing',
    'http://tidemark.test/v1/funds?limit=2',
    '*',
  ])('%s', async (path) => {
    await withBoth(api, async ({ express, direct }) => {
      for (const token of [good, undefined]) {
        const asked = { path, ...(token === undefined ? {} : { token }) };
        expect(await direct(asked)).toEqual(await express(asked));
      }
    });
  });

  test('when something of ours fails, before the call is opened and while it is', async () => {
    const fails = () => {
      throw new Error('broken by a test');
    };
    const broken = [
      { ...api, readCredential: fails },
      { ...api, gate: { open: async () => fails() } },
      { ...api, turns: { run: async () => fails() } },
    ];
    for (const one of broken) {
      await withBoth(one, async ({ express, direct }) => {
        const asked = { path: '/v1/events', token: good };
        const answer = await direct(asked);
        expect(answer.status).toBe(500);
        expect(answer).toEqual(await express(asked));
      });
    }
  });
});
