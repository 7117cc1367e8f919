import { expect, test } from 'vitest';
import { invalid } from '../http/problem.ts';
import { requestedCall } from './arguments.ts';
import type { Message } from './message.ts';

const detailsOf = (method: string, params: Record<string, unknown>) => {
  const { read } = requestedCall({ jsonrpc: '2.0', id: 1, method, params } as Message);
  return read.ok ? [] : read.details;
};

test('thousands of unknown arguments have a short answer', () => {
  const given = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`limi${at}`, 1]));
  const details = detailsOf('tools/call', { name: 'fund.list', arguments: given });
  expect(details).toHaveLength(5_000);
  expect(JSON.stringify(invalid(details)).length).toBeLessThan(16_384);
});

test('a key in the name of a parameter of the protocol is not repeated', () => {
  const key = `tm_live_${'a'.repeat(46)}`;
  const capabilities = { experimental: { [key]: 5 } };
  const wrong = { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'x', version: '1' } };
  const details = detailsOf('initialize', wrong);
  expect(details).toHaveLength(1);
  expect(JSON.stringify(details)).not.toContain(key);
});

test('a boolean is taken for a flag, never for a text: `true` buys no brief of the ticker TRUE', () => {
  const call = (name: string, given: Record<string, unknown>) =>
    detailsOf('tools/call', { name, arguments: given }).map(({ param }) => param);
  expect(call('capital_change_brief', { ticker: true })).toEqual(['ticker']);
  expect(call('search', { q: false })).toEqual(['q']);
  expect(call('insider.transactions', { ticker: 'AAPL', exclude_10b5_1: true })).toEqual([]);
});
