import { expect, test } from 'vitest';
import { type Fetch, retrying } from './retry.ts';

/** Answers the tries of one call in turn; `seen` are their idempotency keys. */
function script(...answers: (Response | Error)[]) {
  const seen: (string | null)[] = [];
  const waited: number[] = [];
  const redirects: string[] = [];
  const fetch: Fetch = async (request) => {
    seen.push(request.headers.get('Idempotency-Key'));
    redirects.push(request.redirect);
    const answer = answers.shift();
    if (answer === undefined) throw new Error('one try too many');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const wait = async (ms: number) => void waited.push(ms);
  const get = (retries: number) => retrying({ retries, timeoutMs: 60_000, fetch, wait })(CALL);
  return { seen, waited, redirects, get };
}

const CALL = new Request('https://tidemark.example/v1/funds');
const at = (status: number, body: object | null = null, headers = { 'Retry-After': '0' }) =>
  new Response(body === null ? null : JSON.stringify(body), { status, headers });
const conflict = (error: string) => at(409, { error, message: 'No.', request_id: 'x' });

test('what a later try can answer is tried again, each time with the same idempotency key', async () => {
  const call = script(at(429), at(503), at(500), conflict('idempotency_conflict'), at(200, { data: 1 }));
  const answer = await call.get(4);
  expect(await answer.json()).toEqual({ data: 1 });
  expect(new Set(call.seen).size).toBe(1);
  expect(call.seen).toEqual(Array.from({ length: 5 }, () => expect.any(String)));
});

test('two calls have two keys', async () => {
  const call = script(at(200), at(200));
  await call.get(0);
  await call.get(0);
  expect(new Set(call.seen).size).toBe(2);
});

test.each([400, 401, 402, 404, 422])(
  '%i is answered at once: a later try would be the same',
  async (status) => {
    const call = script(at(status));
    expect((await call.get(4)).status).toBe(status);
  },
);

test('a key without replays left is answered at once', async () => {
  expect((await script(conflict('idempotency_exhausted')).get(4)).status).toBe(409);
});

test('the last try delivers what it got, an answer or an error', async () => {
  expect((await script(at(503), at(503)).get(1)).status).toBe(503);
  const lost = script(new TypeError('fetch failed'));
  await expect(lost.get(0)).rejects.toThrow('fetch failed');
});

test('a connection lost within the answer is tried again', async () => {
  const torn = new ReadableStream({
    start: (controller) => controller.error(new TypeError('terminated')),
  });
  const call = script(new Response(torn), at(200, { data: 2 }));
  expect(await (await call.get(1)).json()).toEqual({ data: 2 });
});

test('an abort ends the call at once, also while it waits', async () => {
  const ending = new AbortController();
  const fetch: Fetch = async () => at(429, null, { 'Retry-After': '3600' });
  const call = retrying({ retries: 9, timeoutMs: 60_000, fetch })(
    new Request(CALL, { signal: ending.signal }),
  );
  ending.abort();
  await expect(call).rejects.toThrow(/abort/i);
});

test.each([
  ['0', [1, 2, 4, 8, 16, 32, 60, 60]],
  ['-1', [1, 2, 4, 8, 16, 32, 60, 60]],
  ['nan', [1, 2, 4, 8, 16, 32, 60, 60]],
  ['20', [20, 20, 20, 20, 20, 32, 60, 60]],
  ['1e9', Array(8).fill(300)],
])('with Retry-After %s the waits grow, within 20 %% of %j seconds', async (asked, seconds) => {
  const answers = seconds.map(() => at(503, null, { 'Retry-After': asked }));
  const call = script(...answers, at(200, { data: 1 }));
  expect((await call.get(8)).status).toBe(200);
  const shares = call.waited.map((ms, n) => ms / 1_000 / (seconds[n] ?? 0));
  for (const share of shares) expect(Math.abs(share - 1)).toBeLessThanOrEqual(0.2);
  expect(new Set(shares).size).toBeGreaterThan(1);
});

test('no redirect is followed', async () => {
  const call = script(at(200));
  await call.get(0);
  expect(call.redirects).toEqual(['error']);
});

test('a wait of months is a wait, not a storm of tries', async () => {
  let tries = 0;
  const fetch: Fetch = async () => {
    tries += 1;
    return at(503, null, { 'Retry-After': '9999999' });
  };
  const signal = AbortSignal.timeout(50);
  await expect(
    retrying({ retries: 9, timeoutMs: 60_000, fetch })(new Request(CALL, { signal })),
  ).rejects.toThrow(/abort/i);
  expect(tries).toBe(1);
});
