import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);

describe('/openapi.json', () => {
  test('is served without a key, free, to every origin', async () => {
    const { status, headers, body } = await stage.get('/openapi.json');
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(headers.has('x-credits-charged')).toBe(false);
    expect([body.openapi, body.info.version]).toEqual(['3.1.0', '1.0.0']);
    expect(body.servers).toEqual([{ url: 'https://tidemark.test/v1' }]);
    expect(Object.keys(body.paths)).toEqual(ENDPOINTS.map((endpoint) => endpoint.path));
  });

  test('answers 304 to its tag, and sends the same bytes compressed', async () => {
    const plain = await stage.get('/openapi.json', null, { 'accept-encoding': 'identity' });
    const etag = plain.headers.get('etag') ?? '';
    const known = await stage.get('/openapi.json', null, { 'if-none-match': etag });
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag]);
    const gzip = await stage.get('/openapi.json', null, { 'accept-encoding': 'gzip' });
    expect([gzip.headers.get('content-encoding'), gzip.text]).toEqual(['gzip', plain.text]);
  });

  test('HEAD has only the headers, another method is 405, and a key in the URL is 400', async () => {
    const head = await fetch(`${stage.origin}/openapi.json`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const post = await fetch(`${stage.origin}/openapi.json`, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const { key } = await stage.newKey(0);
    const leaked = await stage.get(`/openapi.json?key=${key}`);
    expect([leaked.status, leaked.text.includes(key)]).toEqual([400, false]);
  });
});
