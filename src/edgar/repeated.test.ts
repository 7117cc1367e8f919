import { expect, test } from 'vitest';
import { EdgarError } from './error.ts';
import { repeated } from './repeated.ts';

const { signal } = new AbortController();

/** Fails with the errors one after the other, then answers how often it ran. */
function failing(...errors: readonly Error[]) {
  let runs = 0;
  return async (): Promise<number> => {
    const error = errors[runs];
    runs += 1;
    if (error !== undefined) throw error;
    return runs;
  };
}

const unavailable = new EdgarError('edgar_unavailable', 'not available', { retry: true });
const blocked = new EdgarError('edgar_blocked', 'no request', { retry: true, retryAfterMs: 20_000 });
const missing = new EdgarError('edgar_not_found', 'not there', { retry: true });

test('a request that failed is made again', async () => {
  expect(await repeated(signal, failing(unavailable))).toBe(2);
});

test('what is not found, and what has another cause, is not asked for again', async () => {
  await expect(repeated(signal, failing(missing))).rejects.toBe(missing);
  const other = new Error('other');
  await expect(repeated(signal, failing(other))).rejects.toBe(other);
});

test('a wait above the most that the caller gives ends in the error', async () => {
  await expect(repeated(signal, failing(blocked), 10_000)).rejects.toBe(blocked);
});

test('after a stop nothing is asked for again', async () => {
  await expect(repeated(AbortSignal.abort(), failing(unavailable))).rejects.toBe(unavailable);
});
