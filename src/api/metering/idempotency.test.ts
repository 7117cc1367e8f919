import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { ReadCall } from '../endpoint/endpoint.ts';
import { nameCall } from './idempotency.ts';

const PRICED = { name: 'insider.transactions', credits: 1 };

function fingerprintOf(input: unknown): string {
  const req = { headers: { 'idempotency-key': 'one' } } as unknown as IncomingMessage;
  const read = { ok: true, input, run: () => Promise.reject(new Error('not run')) } satisfies ReadCall;
  return nameCall(PRICED, req, { read }).call.fingerprint;
}

test('a call with an amount of money can have an Idempotency-Key, and another amount is another call', () => {
  const of = (cents: bigint) => fingerprintOf({ min_value_cents: cents, page: 1 });
  expect(of(5n)).toBe(fingerprintOf({ page: 1, min_value_cents: 5n }));
  expect(of(5n)).not.toBe(of(6n));
});
