import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { exampleOf } from '../endpoint/examples.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { resultOf } from './result.ts';
import { TOOLS, toolsIn } from './tool.ts';
import { phraseOfUnknownTool } from './tool-name.ts';

function compiler(): Ajv2020 {
  // Every keyword and format must be known. The other checks of strict mode are style.
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true });
  formats.default(ajv);
  return ajv;
}

test('there is one read-only tool for each endpoint, in their order', () => {
  expect(TOOLS.map(({ name }) => name)).toEqual(ENDPOINTS.map(({ name }) => name));
  expect(TOOLS.every(({ annotations }) => annotations.readOnlyHint)).toBe(true);
});

test('each name of the list without dots is one that every host takes, and they differ', () => {
  const names = toolsIn('underscore').map(({ name }) => name);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(new Set(names).size).toBe(ENDPOINTS.length);
  expect(names).toContain('fund_holdings');
});

test('a list is small enough for the context of an agent', () => {
  for (const spelling of ['own', 'underscore'] as const)
    expect(Buffer.byteLength(JSON.stringify(toolsIn(spelling)))).toBeLessThan(36 * 1024);
  expect(JSON.stringify(TOOLS)).not.toMatch(/"pattern"/);
});

test('a description names other tools as the list spells them, and no address over REST', () => {
  const found = (spelling: 'own' | 'underscore') =>
    toolsIn(spelling).find(({ title }) => title === 'Form 4 filing')?.description;
  expect(found('own')).toContain('`insider.transactions` excludes');
  expect(found('underscore')).toContain('`insider_transactions` excludes');
  for (const { description } of TOOLS) expect(description).not.toMatch(/`\/(?!connect)|ETag|Cache-Control/);
});

test('an unknown name gets names without dots unless it has one', () => {
  expect(phraseOfUnknownTool('fund.holding')).toContain('you may mean fund.holdings');
  expect(phraseOfUnknownTool('fund_holding')).toContain('you may mean fund_holdings');
  expect(phraseOfUnknownTool('weather')).toContain('they are fund_list, fund_get,');
});

test('a list has ten rows unless more are asked for, and the stream has fifty', () => {
  const defaults = TOOLS.flatMap(({ name, inputSchema }) => {
    const { limit } = inputSchema.properties as Record<string, { default?: unknown }>;
    return limit === undefined ? [] : [[name, limit.default] as const];
  });
  expect(defaults.length).toBeGreaterThan(8);
  for (const [name, rows] of defaults) {
    expect([name, rows]).toEqual([name, ['events.latest', 'watchlist.poll'].includes(name) ? 50 : 10]);
  }
});

describe.each(ENDPOINTS.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);

  test('has schemas of JSON Schema 2020-12 without the bounds of safe integers', () => {
    const ajv = compiler();
    expect(ajv.validateSchema(tool.inputSchema)).toBe(true);
    expect(ajv.validateSchema(tool.outputSchema)).toBe(true);
    expect(JSON.stringify([tool.inputSchema, tool.outputSchema])).not.toContain('9007199254740991');
    expect([tool.inputSchema.type, tool.outputSchema.type]).toEqual(['object', 'object']);
    // Hosts drop the whole list for anyOf, oneOf or allOf at the top.
    const known = ['type', 'properties', 'required', 'additionalProperties'];
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(schema)));
    }
  });

  test('accepts its example and refuses unknown arguments', () => {
    const accepts = compiler().compile(tool.inputSchema);
    expect(accepts(endpoint.example)).toBe(true);
    expect(accepts({ ...endpoint.example, no_such_argument: 1 })).toBe(false);
  });

  test('may fail with the REST error', () => {
    const accepts = compiler().compile(tool.outputSchema);
    const [request_id, docs_url] = ['abcdefgh', 'https://t.test/docs'];
    expect(accepts({ error: 'not_found', message: 'No.', request_id, docs_url })).toBe(true);
    expect(accepts({ error: { code: 'not_found' }, message: 'No.', request_id, docs_url })).toBe(false);
  });

  test('has an output schema that its recorded answer fits, with the members of data named', () => {
    const body = exampleOf(name) as { data: object };
    const wanted = { input: {}, isJson: true, isLarge: true };
    const { structuredContent } = resultOf({ kind: 'body', body }, endpoint, wanted);
    const accepts = compiler().compile(tool.outputSchema);
    expect(accepts(structuredContent), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ ...structuredContent, data: 1 })).toBe(false);
    const [first] = Array.isArray(body.data) ? body.data : [body.data];
    const outline = JSON.stringify(tool.outputSchema.properties);
    for (const member of Object.keys(first)) expect(outline).toContain(JSON.stringify(member));
  });

  test('names its price', () => {
    const price = endpoint.credits === 0 ? 'Free.' : `Costs ${endpoint.credits} credit`;
    expect(tool.description).toContain(price);
    expect([tool.title, tool.description].every((text) => text.length > 0)).toBe(true);
  });
});
