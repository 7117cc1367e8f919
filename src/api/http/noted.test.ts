import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { makeKey } from '../../credits/account/key.ts';
import { requestIdOf } from './noted.ts';

function idFor(given: string): string {
  const req = new IncomingMessage(new Socket());
  req.headers['x-request-id'] = given;
  return requestIdOf(req);
}

test('a client’s id is kept when it has 8 to 64 letters, digits, _ and -', () => {
  for (const id of ['a-client_id', '12345678', 'x'.repeat(64), 'tm_other_12345']) expect(idFor(id)).toBe(id);
  for (const id of ['short', 'x'.repeat(65), 'with a blank', 'line\nbreak']) expect(idFor(id)).not.toBe(id);
});

test('a key that was sent as a request id is replaced', () => {
  const keys = [makeKey('live').key, makeKey('test').key];
  for (const key of [...keys, ...keys.map((one) => one.toUpperCase()), `id-${keys[0]}`]) {
    const id = idFor(key);
    expect(id).toMatch(/^[\w-]{8,64}$/);
    expect(id).not.toMatch(/tm_/i);
  }
});
