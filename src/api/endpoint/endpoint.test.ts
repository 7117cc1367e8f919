import { expect, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '../endpoints/index.ts';
import { defineEndpoint } from './endpoint.ts';

const DESCRIBED = {
  name: 'one',
  path: '/one',
  title: 'One',
  summary: 'One',
  description: 'One',
  example: {},
  credits: 1,
  digest: { facts: [] },
  params: {},
  query: {},
  output: z.strictObject({ data: z.string() }),
} as const;

test('an answer for everybody depends on nothing of who called', () => {
  const shared = defineEndpoint({
    ...DESCRIBED,
    shared: true,
    // @ts-expect-error: the type checker refuses to read it here.
    handler: async ({ orgId }) => ({ kind: 'body', body: { data: orgId } }),
  });
  const own = defineEndpoint({
    ...DESCRIBED,
    handler: async ({ orgId }) => ({ kind: 'body', body: { data: orgId } }),
  });
  expect([shared.shared, own.shared]).toEqual([true, undefined]);
});

test('an answer for everybody has no entity tag of its own', () => {
  // @ts-expect-error: the type checker refuses both together.
  defineEndpoint({
    ...DESCRIBED,
    shared: true,
    conditional: true,
    handler: async () => ({ kind: 'body', body: { data: '' } }),
  });
  expect(ENDPOINTS.filter(({ shared }) => shared).length).toBeGreaterThan(3);
  expect(ENDPOINTS.filter(({ shared, conditional }) => shared && conditional)).toEqual([]);
});
