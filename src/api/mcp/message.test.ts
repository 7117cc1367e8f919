import { describe, expect, test } from 'vitest';
import { readMessage } from './message.ts';

const read = (text: string) => readMessage(Buffer.from(text));
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const withParams = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"x","params":${params}}`;

describe('a message is', () => {
  test.each([0, -1, 7, '', 'a', '0'])('a request with the id %j', (id) => {
    const message = { jsonrpc: '2.0', id, method: 'ping' };
    expect(read(JSON.stringify(message))).toEqual({ ok: true, message });
  });

  test('a notification without an id', () => {
    expect(read('{"jsonrpc":"2.0","method":"x"}')).toMatchObject({ ok: true });
  });

  test('read without its other members', () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'x', params: {} };
    expect(read(JSON.stringify({ ...message, more: 1 }))).toEqual({ ok: true, message });
  });

  test('nested to 32 levels; brackets in strings are not counted', () => {
    expect(read(withParams(nested(31)))).toMatchObject({ ok: true });
    expect(read(withParams(JSON.stringify({ a: `${'['.repeat(100)}\\"{"` })))).toMatchObject({ ok: true });
  });
});

describe('-32700 with id null for', () => {
  test.each(['', '{', 'x', '{"a":1}}', '[1,]', `{"a":"\u0001"}`])('%j', (text) => {
    expect(read(text)).toMatchObject({ ok: false, code: -32700, id: null });
  });

  test('bytes that are not UTF-8', () => {
    expect(readMessage(Buffer.from([0x22, 0xc3, 0x28, 0x22]))).toMatchObject({ ok: false, code: -32700 });
  });
});

describe('-32600 for', () => {
  test.each([
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', null],
    ['an empty batch', '[]', null],
    ['a string', '"ping"', null],
    ['null', 'null', null],
    ['another version', '{"jsonrpc":"1.0","id":5,"method":"ping"}', 5],
    ['no version', '{"id":"a","method":"ping"}', 'a'],
    ['no method', '{"jsonrpc":"2.0","id":5}', 5],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":5,"method":1}', 5],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', null],
    ['a fractional id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5],
    ['a reply', '{"jsonrpc":"2.0","id":1,"result":{}}', 1],
    ['parameters by position', withParams('[1]'), 1],
    ['null parameters', withParams('null'), 1],
    ['a _meta that is not an object', withParams('{"_meta":5}'), 1],
    ['depth 33', withParams(nested(32)), null],
    ['depth 30,000', '['.repeat(30_000), null],
  ])('%s', (_name, text, id) => {
    expect(read(text)).toMatchObject({ ok: false, code: -32600, id });
  });
});
