import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { type Node, readDescription } from '../described.ts';
import { opened } from '../opened.ts';
import { seed } from './corpus.ts';
import { openStage } from './stage.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const { document, follow, problemsOf } = readDescription('https://tidemark.test');

const stage = opened(openStage);
let key = '';

beforeAll(async () => {
  await seed(stage.world.mongo.db);
  key = (await stage.newKey(100_000)).key;
});

type Seen = { readonly status: number; readonly headers: Headers; readonly body: unknown };
type Arguments = Readonly<Record<string, string | number>>;

/** The address of a call below /v1 with these arguments. */
function addressOf(endpoint: Endpoint, values: Arguments): string {
  const rest = new Map<string, string | number>(Object.entries(values));
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '');
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = [...rest].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `/v1${path}${query === '' ? '' : `?${query}`}`;
}

function operationOf(endpoint: Endpoint): Node {
  return document.paths[endpoint.path].get;
}

/** Why an answer is not as described: its status, headers and body. */
function deviationsOf(endpoint: Endpoint, { status, headers, body }: Seen): unknown {
  const response = follow(operationOf(endpoint).responses[String(status)]);
  if (response.description === undefined) return `${status} is not described`;
  const missing = Object.entries(response.headers).filter(
    ([name, header]) => follow(header).required === true && !headers.has(name),
  );
  if (missing.length > 0) return `no ${missing.map(([name]) => name).join(', ')}`;
  if (response.content === undefined) return body === null ? null : 'has a body';
  return problemsOf(response.content['application/json'].schema, body);
}

describe.each(ENDPOINTS.map((one) => [one.name, one] as const))('%s', (name, endpoint) => {
  const parameters: Node[] = operationOf(endpoint).parameters.map(follow);
  const given = parameters.filter((one) => one.in !== 'header');
  const ask = (values: Arguments) => stage.get(addressOf(endpoint, values), key);

  test('is a row of the README with its path, its tool and its price', () => {
    const price = endpoint.credits === 0 ? 'free' : String(endpoint.credits);
    expect(README).toContain(`| \`${endpoint.path}\` | \`${name}\` | ${price} |`);
  });

  test('refuses values beyond each documented bound, names the parameter and charges nothing', async () => {
    for (const parameter of given) {
      for (const value of beyond(parameter)) {
        const answer = await ask({ ...endpoint.example, [parameter.name]: value });
        const named = answer.body.details?.map((detail: { param: string }) => detail.param);
        expect([parameter.name, value, answer.status, named]).toEqual([
          parameter.name,
          value,
          400,
          expect.arrayContaining([parameter.name]),
        ]);
        expect(answer.headers.get('x-credits-charged')).toBe(endpoint.credits === 0 ? null : '0');
      }
    }
  });

  test('accepts values just within each documented bound', async () => {
    for (const parameter of given) {
      for (const value of within(parameter)) {
        const { page: _, ...example } = endpoint.example;
        const answer = await ask({ ...example, [parameter.name]: value });
        const reasons = (answer.body.details ?? []).filter((detail: { param: string; reason: string }) =>
          /too|expected/i.test(detail.reason),
        );
        expect([parameter.name, value, reasons]).toEqual([parameter.name, value, []]);
      }
    }
  });

  test('answers as described, for each status', async () => {
    const poor = (await stage.newKey(0)).key;
    const path = addressOf(endpoint, endpoint.example);
    const answers = [
      await stage.get(path, key),
      await stage.get(path, null),
      await stage.get(path, poor),
      await stage.get(`${path}${path.includes('?') ? '&' : '?'}colour=blue`, key),
      await raw('POST', path, {}),
      await raw('GET', path, { 'content-length': String(70 * 1024) }),
      await raw('GET', `${path}?q=${'x'.repeat(9_000)}`, {}),
      await raw('GET', path, { 'x-long': 'x'.repeat(17_000) }),
      await raw('GET', path, { expect: 'a miracle' }),
    ];
    for (const answer of answers)
      expect([answer.status, deviationsOf(endpoint, answer)]).toEqual([answer.status, null]);
    const refused = answers.slice(1).map((answer) => answer.status);
    expect(refused).toEqual([401, endpoint.credits === 0 ? 200 : 402, 400, 405, 413, 414, 431, 417]);
  });

  test('has links, tags and operation names only where they are described', async () => {
    const answer = await stage.get(addressOf(endpoint, endpoint.example), key, {
      'idempotency-key': `a-${name}`,
    });
    if (answer.status !== 200) return;
    const described = operationOf(endpoint).responses['200'].headers;
    for (const header of ['Link', 'ETag', 'X-Credits-Charged']) {
      expect([header, answer.headers.has(header)]).toEqual([header, Object.hasOwn(described, header)]);
    }
    const again = await stage.get(addressOf(endpoint, endpoint.example), key, {
      'idempotency-key': `a-${name}`,
    });
    expect(again.headers.get('idempotent-replayed')).toBe(endpoint.credits === 0 ? null : 'true');
    expect(deviationsOf(endpoint, again)).toBeNull();
    const etag = answer.headers.get('etag');
    if (etag === null) return;
    const known = await stage.get(addressOf(endpoint, endpoint.example), key, { 'if-none-match': etag });
    expect([known.status, deviationsOf(endpoint, known)]).toEqual([304, null]);
  });
});

/** Values that the schema of a parameter forbids. */
function beyond({ schema, in: place }: Node): (string | number)[] {
  if (schema.enum !== undefined) return ['nothing-of-it'];
  if (schema.type === 'integer') return [schema.minimum - 1, schema.maximum + 1, '1.5', 'x', ''];
  if (schema.type === 'array')
    return [
      Array(schema.maxItems + 1)
        .fill('AAPL')
        .join(','),
      '!',
    ];
  if (schema.format === 'date') return ['2018-02-30', 'today'];
  return ['\u0001', ...(place === 'path' ? [] : [''])].filter(
    (text) => schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text),
  );
}

function within({ schema }: Node): (string | number)[] {
  if (schema.enum !== undefined) return schema.enum;
  if (schema.type === 'integer') return [schema.minimum, schema.maximum];
  if (schema.type === 'array') return [Array(schema.maxItems).fill('AAPL').join(',')];
  return [];
}

/** What `fetch` would not send. */
function raw(method: string, path: string, headers: Record<string, string>): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = { authorization: `Bearer ${key}`, ...headers };
    const asked = request(`${stage.origin}${path}`, { method, headers: sent }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => {
        const pairs = Object.entries(res.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        resolve({ status: res.statusCode ?? 0, headers: new Headers(pairs), body });
      });
    });
    asked.on('error', reject);
    asked.flushHeaders();
    if (!('content-length' in headers)) asked.end();
  });
}
