import { describe, expect, test } from 'vitest';
import { type Node, readDescription } from '../../../test/described.ts';
import { valuesFromText } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { ERRORS } from '../http/problem.ts';

const { document, operations, follow, problemsOf } = readDescription('https://tidemark.test');

function nodesIn(node: Node): Node[] {
  if (node === null || typeof node !== 'object') return [];
  return [node, ...Object.values(node).flatMap(nodesIn)];
}

test('the operations are the endpoints, with the names of their tools and their prices', () => {
  const described = operations.map((one) => [one.operationId, one['x-credit-cost']]);
  expect(described).toEqual(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint.credits]));
});

test('every reference has a target', () => {
  const refs = nodesIn(document).filter((node) => typeof node.$ref === 'string');
  expect(refs.length).toBeGreaterThan(100);
  expect(refs.filter((node) => Object.keys(follow(node)).length === 0)).toEqual([]);
});

test('answers allow new members and have only their own bounds', () => {
  const text = JSON.stringify(document.components);
  expect(text).not.toContain('"additionalProperties":false');
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

test('every error code has a meaning, in sentences', () => {
  const wrong = Object.values(ERRORS).filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning));
  expect(wrong).toEqual([]);
});

describe.each(operations.map((one) => [String(one.operationId), one] as const))('%s', (name, operation) => {
  const withBody = Object.entries(operation.responses).filter(([status]) => status !== '304');

  test('shows a valid example of each status', () => {
    for (const [status, response] of withBody) {
      const { schema, example, examples } = follow(response).content['application/json'];
      const shown =
        examples === undefined ? [example] : Object.values<Node>(examples).map((one) => one.value);
      for (const one of shown) expect([status, problemsOf(schema, one)]).toEqual([status, null]);
    }
  });

  test('shows values of all its parameters that are a valid call together', () => {
    const parameters: Node[] = operation.parameters.map(follow);
    const bare = parameters.filter(({ example }) => example === undefined).map((one) => one.name);
    // One that everybody copies would make calls of two endpoints one: 422.
    expect(bare.filter((one) => one !== 'Idempotency-Key')).toEqual([]);
    for (const { schema, example } of parameters) {
      if (example !== undefined) expect(problemsOf(schema, example)).toBeNull();
    }
    const placed = (place: string): [string, string][] =>
      parameters.filter((one) => one.in === place).map((one) => [one.name, String(one.example)]);
    const endpoint = ENDPOINTS.find((one) => one.name === name);
    if (endpoint === undefined) throw new Error(`no endpoint ${name}`);
    const query = new URLSearchParams(placed('query'));
    const { values, details } = valuesFromText(endpoint, Object.fromEntries(placed('path')), query);
    expect([details, endpoint.read(values)]).toMatchObject([[], { ok: true }]);
  });

  test('describes every parameter and every error of its own', () => {
    const parameters: Node[] = operation.parameters.map(follow);
    expect(parameters.filter((one) => typeof one.description !== 'string')).toEqual([]);
    const described = withBody.flatMap(([, response]) =>
      codesIn(follow(response).content['application/json'].schema),
    );
    const own = ENDPOINTS.find((endpoint) => endpoint.name === name)?.errors ?? [];
    expect(described).toEqual(expect.arrayContaining([...own]));
  });
});

function codesIn(schema: Node): string[] {
  return schema.anyOf?.flatMap(codesIn) ?? schema.properties?.error?.enum ?? [];
}

test('the ticker of a brief that leads on is the one asked for: an unknown one has no other', () => {
  const brief = operations.find((one) => one.operationId === 'capital_change_brief');
  const links = (brief?.responses['200']?.['links'] ?? {}) as Record<string, { parameters: object }>;
  expect(links['stock.history']?.parameters).toEqual({ ticker: '$response.body#/data/requested_ticker' });
});
