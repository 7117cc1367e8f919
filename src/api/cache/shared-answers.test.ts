import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { jsonReply } from '../http/reply.ts';
import { sharedAnswers } from './shared-answers.ts';

const ENDPOINT = { name: 'fund.list', path: '/funds', credits: 1, csv: true };
const GZIP = { 'accept-encoding': 'gzip' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function request(url: string, headers: Record<string, string> = {}): IncomingMessage {
  return { url, headers } as unknown as IncomingMessage;
}

function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

function opened() {
  const answers = sharedAnswers();
  const began = performance.now();
  const keep = (ms = performance.now() - began, letter = 'x', headers = {}) =>
    answers.keep(request('/v1/funds', headers), {
      endpoint: ENDPOINT,
      reply: jsonReply(200, { data: letter.repeat(2_000) }),
      readAt: began + ms,
    });
  const ask = (headers = {}) => answers.peek(request('/v1/funds', headers));
  return { answers, keep, ask };
}

test('an answer is sent again for a second after its data was read, to the same address only', () => {
  const { answers, keep, ask } = opened();
  keep();
  pass(999);
  expect(ask()).toMatchObject({ reply: { status: 200 }, mayRenew: false });
  expect(answers.peek(request('/v1/funds?limit=50'))).toBeNull();
  pass(1);
  expect(ask()?.mayRenew).toBe(true);
});

test('one call reads it again; the others get the old answer, and never one of more than 1.25 s', () => {
  const { answers, keep, ask } = opened();
  keep();
  pass(1_200);
  answers.renew(request('/v1/funds'));
  expect(ask()?.mayRenew).toBe(false);
  pass(49);
  expect(ask()).not.toBeNull();
  pass(1);
  expect(ask()).toBeNull();
});

test('asking takes nobody the turn to read it again', () => {
  const { keep, ask } = opened();
  keep();
  pass(1_000);
  for (let asked = 0; asked < 20; asked += 1) expect(ask()?.mayRenew).toBe(true);
});

test('an answer that took a second to read is not kept', () => {
  const { keep, ask } = opened();
  pass(1_000);
  expect(keep(0).status).toBe(200);
  expect(ask()).toBeNull();
});

test('an answer that was read earlier and is ready later replaces nothing', () => {
  const { keep, ask } = opened();
  pass(600);
  keep(500, 'n');
  pass(100);
  expect(String(keep(0, 'o').body)).toContain('ooo');
  expect(String(ask()?.reply.body)).toContain('nnn');
});

test('what is too old leaves the memory, whether it is asked for or not', () => {
  const { answers, keep } = opened();
  keep();
  pass(1_000);
  answers.keep(request('/v1/search?q=x'), {
    endpoint: ENDPOINT,
    reply: jsonReply(200, {}),
    readAt: performance.now(),
  });
  pass(250);
  expect(answers.count()).toBe(1);
  pass(1_250);
  expect(answers.count()).toBe(0);
});

test('it is compressed once, and only for clients that take gzip; CSV is not in memory', () => {
  const { keep, ask } = opened();
  const first = keep(0, 'x', GZIP);
  expect(first.headers).toContain('Content-Encoding');
  expect(ask(GZIP)?.reply).toBe(first);
  expect(ask()?.reply.headers).not.toContain('Content-Encoding');
  expect(ask({ accept: 'text/csv' })).toBeNull();
});

test('takes no more memory than its bytes', () => {
  const { keep, ask } = opened();
  keep();
  const memories = [ask(), ask(GZIP)].map((answer) => answer?.reply.body);
  expect(memories.map((body) => body?.buffer.byteLength)).toEqual(memories.map((body) => body?.byteLength));
});
