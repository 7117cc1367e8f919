import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { jsonReply } from '../http/reply.ts';
import { sharedAnswers } from './shared-answers.ts';

const ENDPOINT = { name: 'fund.list', path: '/funds', credits: 1, csv: true };
const BIG = { data: 'x'.repeat(2_000) };

function request(url: string, headers: Record<string, string> = {}): IncomingMessage {
  return { url, headers } as unknown as IncomingMessage;
}

function opened() {
  let now = 0;
  const answers = sharedAnswers(() => now);
  const keep = (readAt = now): void =>
    answers.keep(request('/v1/funds'), { endpoint: ENDPOINT, reply: jsonReply(200, BIG), readAt });
  return { answers, keep, pass: (ms: number) => (now += ms) };
}

test('an answer is sent again for a second after its data was read, to the same address only', () => {
  const { answers, keep, pass } = opened();
  keep();
  pass(999);
  expect(answers.peek(request('/v1/funds'))?.reply.status).toBe(200);
  expect(answers.peek(request('/v1/funds?limit=50'))).toBeNull();
  pass(1);
  expect(answers.peek(request('/v1/funds'))).toBeNull();
});

test('while one call reads again the others get the old answer, and never one of more than 1.25 s', () => {
  const { answers, keep, pass } = opened();
  keep();
  pass(1_200);
  expect(answers.peek(request('/v1/funds'))).toBeNull();
  expect(answers.peek(request('/v1/funds'))).not.toBeNull();
  pass(50);
  for (let ms = 0; ms < 2_000; ms += 100) {
    expect(answers.peek(request('/v1/funds'))).toBeNull();
    pass(100);
  }
});

test('an answer that took a second to read is not kept', () => {
  const { answers, keep, pass } = opened();
  pass(1_000);
  keep(0);
  expect(answers.peek(request('/v1/funds'))).toBeNull();
});

test('it is compressed once, and only for who takes gzip; CSV is not in memory', () => {
  const { answers, keep } = opened();
  keep();
  const gzip = () => answers.peek(request('/v1/funds', { 'accept-encoding': 'gzip' }))?.reply;
  expect(gzip()?.headers).toContain('Content-Encoding');
  expect(gzip()?.body).toBe(gzip()?.body);
  expect(answers.peek(request('/v1/funds'))?.reply.headers).not.toContain('Content-Encoding');
  expect(answers.peek(request('/v1/funds', { accept: 'text/csv' }))).toBeNull();
});
