import { describe, expect, test } from 'vitest';
import { observation } from '../../domain/brief/brief.sample.ts';
import { leftOutOf } from '../../domain/history/quarter-line.ts';
import { judge } from '../../domain/holders/observation.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { exampleOf } from '../endpoint/examples.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { outputSchema } from '../openapi/components.ts';
import type { Wanted } from './arguments.ts';
import { failureOf, resultOf } from './result.ts';

const BY_DEFAULT: Wanted = { input: { page: 1, limit: 10 }, isJson: false, isLarge: false };
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const doubted = { ...observation({ currentShares: 1_000n, previousShares: 0n }), isDoubted: true as const };

function textOf(result: ReturnType<typeof resultOf>): string {
  const [first] = result.content;
  return first?.type === 'text' ? first.text : '';
}

function toolOf(name: string): Endpoint {
  const endpoint = ENDPOINTS.find((one) => one.name === name);
  if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
  return endpoint;
}

describe.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  const body = exampleOf(name) as Record<string, unknown>;
  const result = resultOf({ kind: 'body', body }, endpoint, BY_DEFAULT);

  test('has a summary of at most 2 KB that begins with what it is, beside the whole body', () => {
    const text = textOf(result);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048);
    expect(text.split('\n').length).toBeGreaterThan(1);
    expect(text).toMatch(new RegExp(`^${endpoint.title}\n`));
    expect(text).not.toMatch(/\[object|undefined/);
    expect(result.structuredContent).toMatchObject(body);
    expect(result.structuredContent['truncated']).toBeUndefined();
  });

  test('names every fact and column by a path that its answers have', () => {
    const { facts, rows } = endpoint.digest;
    const known = JSON.stringify(outputSchema(endpoint.output));
    for (const path of [...facts, ...(rows?.columns ?? [])]) expect(known).toContain(path.split('.').at(-1));
    expect(facts.length + (rows?.columns.length ?? 0)).toBeGreaterThan(2);
  });

  test('is the whole JSON as text when that is asked for', () => {
    const whole = resultOf({ kind: 'body', body }, endpoint, { ...BY_DEFAULT, isJson: true });
    expect(JSON.parse(textOf(whole))).toEqual(whole.structuredContent);
  });
});

test('the summary of a brief names its ids, its headline and who moved', () => {
  const body = exampleOf('capital_change_brief') as { data: Record<string, string> };
  const text = textOf(resultOf({ kind: 'body', body }, toolOf('capital_change_brief'), BY_DEFAULT));
  for (const name of ['headline', 'brief_id', 'facts_id']) expect(text).toContain(body.data[name]);
  expect(text).toContain('BERKSHIRE HATHAWAY INC | 0001067983');
});

const FUND = {
  cik: '0001067983',
  name: 'N'.repeat(900),
  slug: 's',
  aum_cents: '1',
  latest_quarter: '2018Q3',
};
const pageOf = (page: number, limit: number, total: number) => ({
  data: Array.from({ length: limit }, (_, at) => ({ ...FUND, holdings_count: (page - 1) * limit + at })),
  pagination: { page, limit, total, pages: Math.ceil(total / limit) },
});

test('a result is cut to its bound, and the named pages bring every row once', () => {
  const endpoint = toolOf('fund.list');
  for (const isLarge of [false, true]) {
    const seen: number[] = [];
    let input = { page: 1, limit: 1_000 };
    for (let calls = 0; calls < 200; calls += 1) {
      const body = pageOf(input.page, input.limit, 1_000);
      const result = resultOf({ kind: 'body', body }, endpoint, { input, isJson: false, isLarge });
      expect(bytes(result)).toBeLessThanOrEqual((isLarge ? 256 : 64) * 1024);
      const rows = result.structuredContent['data'] as { holdings_count: number }[];
      seen.push(...rows.map((row) => row.holdings_count).filter((at) => at < 1_000));
      if (seen.length >= 1_000) break;
      expect(result.structuredContent['truncated'] ?? input.limit < 1_000).toBe(true);
      const next = (result.structuredContent['next'] as typeof input | undefined) ?? {
        ...input,
        page: input.page + 1,
      };
      if (result.structuredContent['next'] !== undefined)
        expect(textOf(result)).toContain(JSON.stringify(next));
      input = next;
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, at) => at));
  }
});

test('a page of events that is cut has its cursor at the last event that is left', () => {
  const events = Array.from({ length: 200 }, (_, at) => ({ seq: at + 5, issuer: 'I'.repeat(4_000) }));
  const body = { data: { events, next_cursor: '900' } };
  const wanted: Wanted = { input: { limit: 200 }, isJson: true, isLarge: true };
  const result = resultOf({ kind: 'body', body }, toolOf('events.latest'), wanted);
  expect(bytes(result)).toBeLessThanOrEqual(256 * 1024);
  const { data } = result.structuredContent as { data: { events: { seq: number }[]; next_cursor: string } };
  expect(data.events.length).toBeGreaterThan(10);
  expect(data.next_cursor).toBe(String(data.events.at(-1)?.seq));
  expect(result.structuredContent).toMatchObject({ truncated: true, next: { since: data.next_cursor } });
});

test('a filing of very many rows is cut too, and says how to get the whole', () => {
  const accession_number = '0001494730-18-000005';
  const row = { transaction_id: `${accession_number}:nd:1`, footnotes: ['f'.repeat(3_000)] };
  const body = {
    data: { accession_number, non_derivative_transactions: Array.from({ length: 60 }, () => row) },
  };
  const result = resultOf({ kind: 'body', body }, toolOf('filing.get'), { ...BY_DEFAULT, input: {} });
  expect(bytes(result)).toBeLessThanOrEqual(64 * 1024);
  expect(result.structuredContent).toMatchObject({ truncated: true, next: { text: 'json' } });
  const json: Wanted = { input: {}, isJson: true, isLarge: true };
  const whole = resultOf({ kind: 'body', body }, toolOf('filing.get'), json);
  expect(whole.structuredContent).toMatchObject(body);
  expect(whole.structuredContent['truncated']).toBeUndefined();
  expect(bytes(whole)).toBeLessThanOrEqual(256 * 1024);
});

test('what no result can hold names no call that would bring it', () => {
  const rows = Array.from({ length: 200 }, () => ({ footnotes: ['f'.repeat(3_000)] }));
  const body = { data: { non_derivative_transactions: rows } };
  const json: Wanted = { input: {}, isJson: true, isLarge: true };
  const result = resultOf({ kind: 'body', body }, toolOf('filing.get'), json);
  expect(bytes(result)).toBeLessThanOrEqual(256 * 1024);
  expect(result.structuredContent['truncated']).toBe(true);
  expect(result.structuredContent['next']).toBeUndefined();
  expect(textOf(result)).toContain('REST has the rest.');
});

test('the filings of a very large result are named as far as they fit', () => {
  const evidence_ids = Array.from(
    { length: 9_000 },
    (_, at) => `sec:13f:${String(at).padStart(10, '0')}-18-000001`,
  );
  const owners = [{ evidence_ids: evidence_ids.slice(0, 1_000) }];
  const result = resultOf({ kind: 'body', body: { data: { owners } } }, toolOf('stock.owners'), BY_DEFAULT);
  expect(bytes(result)).toBeLessThanOrEqual(64 * 1024);
});

test('what an answer lacks is said in whole sentences, in a cell too', () => {
  const sentences = leftOutOf([judge(doubted)]);
  const body = {
    data: { ticker: 'AMZN', quarters: [{ quarter_end: '2023-03-31', limitations: sentences }] },
  };
  const text = textOf(resultOf({ kind: 'body', body }, toolOf('stock.history'), BY_DEFAULT));
  expect(text).toContain(`| ${sentences.join(' ')}`);
  const many = Array.from({ length: 30 }, (_, at) => `${at}: ${sentences[0]}`);
  const long = { data: { headline: 'H', coverage: { limitations: many } } };
  const brief = textOf(resultOf({ kind: 'body', body: long }, toolOf('capital_change_brief'), BY_DEFAULT));
  expect(brief).toMatch(/left out of the shares and the value\. \d+ more in structuredContent\.$/m);
});

test('a failure is a sentence and the error object', () => {
  const envelope = { error: 'fund_not_found', message: 'No fund has the CIK 1.', request_id: 'abcdefgh' };
  expect(failureOf(envelope)).toEqual({
    content: [{ type: 'text', text: `No fund has the CIK 1.\n${JSON.stringify(envelope)}` }],
    structuredContent: envelope,
    isError: true,
  });
});
