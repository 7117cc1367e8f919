import fc from 'fast-check';
import type { Endpoint } from '../../src/api/endpoint/endpoint.ts';
import { inputSchema } from '../../src/api/openapi/components.ts';
import { FUND, NOTICE_FUND } from './corpus.ts';

/** What a tool is called with; over REST a list is its items with commas between them. */
export type Args = Readonly<Record<string, string | number | boolean | readonly string[]>>;
type Value = Args[string];

/** Some that exist in the test corpus, some that do not, some that cannot; by parameter. */
const KNOWN: Known = {
  cik: [FUND, '1067983', NOTICE_FUND, '42', '999'],
  ticker: ['AAPL', 'aapl', 'BRK.B', 'brk-b', 'MSFT', 'ZZZZ'],
  accession: ['0000320193-18-000001', '000032019318000001', '0000950123-18-011885'],
  code: ['all', 'P', 'P,S', 'p,m'],
  form: ['4', '4/A', '4/a', '8-K', '13F-HR'],
  since: ['0', '7', '99', '100', '5000', '2018-11-01'],
  q: ['BERK', 'berkshire', 'AAPL', 'x'],
};

const NEVER_RIGHT = fc.constantFrom(
  '!',
  ' ',
  '\u0000',
  '-1',
  '1e3',
  '１',
  '$gt',
  '99999999999999999999',
  '{}',
);

type Known = Readonly<Record<string, readonly string[]>>;

/** Arguments by the whole schema, with the patterns that the tool's leaves out: mostly right, sometimes wrong in a way or two. */
export function argumentsOf(endpoint: Endpoint, there: Known = {}): fc.Arbitrary<Args> {
  const { properties = {} } = inputSchema(endpoint.input) as { properties?: Record<string, Schema> };
  const required = Object.keys(endpoint.params);
  const good = (name: string, schema: Schema): fc.Arbitrary<Value> => {
    const known = there[name];
    const any = rightFor(name, schema);
    return known === undefined ? any : fc.oneof(fc.constantFrom(...known), any);
  };
  const right = Object.entries(properties).map(([name, schema]) => [name, good(name, schema)] as const);
  const wrong = Object.entries(properties).map(
    ([name, schema]) =>
      [name, fc.oneof({ weight: 5, arbitrary: good(name, schema) }, wrongFor(schema))] as const,
  );
  const record = (entries: typeof right): fc.Arbitrary<Args> =>
    fc.record(Object.fromEntries(entries), { requiredKeys: required }) as fc.Arbitrary<Args>;
  const stray = fc.record({ no_such_parameter: fc.constantFrom('1', 'x') });
  return fc.oneof(
    { weight: 6, arbitrary: record(right) },
    { weight: 3, arbitrary: record(wrong) },
    { weight: 1, arbitrary: fc.tuple(record(right), stray).map(([args, more]) => ({ ...args, ...more })) },
  );
}

/** The REST call with the same arguments. */
export function asPath(endpoint: Endpoint, args: Args): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(args[name])),
  );
  const query = Object.entries(args)
    .filter(([name]) => !Object.hasOwn(endpoint.params, name))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return `/v1${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

type Schema = {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
};

function rightFor(name: string, schema: Schema): fc.Arbitrary<Value> {
  const known = KNOWN[name];
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'array') {
    const item = fc.constantFrom('AAPL', 'aapl', 'BRK.B', 'MSFT', 'ZZZZ');
    return fc.array(item, { minLength: 1, maxLength: 4 });
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    const { minimum: min = 0, maximum: max = 1_000_000 } = schema;
    // Calls that are held have a test of their own.
    if (name === 'wait') return fc.constant(0);
    return fc.oneof(fc.integer({ min, max: Math.min(max, min + 5) }), fc.constantFrom(min, max));
  }
  if (known !== undefined) return fc.constantFrom(...known);
  if (schema.format === 'date') return fc.constantFrom('2018-01-01', '2018-11-30', '2025-02-28');
  return fc.stringMatching(schema.pattern === undefined ? /^[A-Za-z0-9]{2,12}$/ : new RegExp(schema.pattern));
}

/** Wrong in a way that an address can say, too: nothing empty, and no text of a number. */
function wrongFor({ type, minimum = 0, maximum = 1_000_000 }: Schema): fc.Arbitrary<Value> {
  if (type === 'integer' || type === 'number') {
    return fc.constantFrom<Value>(minimum - 1, maximum + 1, minimum + 0.5, 'ten', 1e15);
  }
  if (type === 'boolean') return fc.constant('maybe');
  if (type === 'array') return NEVER_RIGHT.map((text) => ['AAPL', text]);
  return NEVER_RIGHT;
}
