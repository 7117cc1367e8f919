import { expect, test } from 'vitest';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { bytesOf, fitted } from './fit.ts';

test('what has no pages loses the ends of its longest lists, each measured once a round', () => {
  let measured = 0;
  const stringify = JSON.stringify;
  const lists = Object.fromEntries(
    Array.from({ length: 64 }, (_, at) => [
      `list ${at}`,
      Array.from({ length: 64 + at }, (_, row) => `row ${row}`),
    ]),
  );
  JSON.stringify = ((...args: Parameters<typeof stringify>) => {
    measured += 1;
    return stringify(...args);
  }) as typeof stringify;
  try {
    const wanted = { input: {}, isJson: false, isLarge: false };
    const maxBytes = bytesOf({ data: lists }) - 1;
    measured = 0;
    const { body, next } = fitted({ digest: {} } as Endpoint, { data: lists }, { wanted, maxBytes });
    expect(next).toEqual({ text: 'json' });
    expect((body['data'] as Record<string, string[]>)['list 63']).toHaveLength(63);
    // The whole three times, and each list of the one round.
    expect(measured).toBeLessThanOrEqual(3 + 64 + 1);
  } finally {
    JSON.stringify = stringify;
  }
});
