import type { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { inputSchema } from './json-schema.ts';

/** Request headers of several operations, as components. */
export const SHARED_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the call. The same key with the same call within ten minutes is charged once for the same answer, with at most five replays.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tags that the client has. The answer is 304 when one of them is current.',
    schema: { type: 'string' },
    example: 'W/"an-earlier-answer"',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Kept when it has 8 to 64 letters, digits, dashes or underscores; any other value is ignored.',
    schema: { type: 'string' },
    example: 'my-trace-0001',
  },
} as const;

/** Values of parameters that the example of no endpoint has; together with it they are a call that answers 200. */
const FURTHER_EXAMPLES: Readonly<Record<string, string | number>> = {
  year: 2023,
  quarter: 1,
  cik: '1067983',
  form: '4',
  tickers: 'AMZN,OXY',
  since: '2022-12-02',
  until: '2023-05-31',
  side: 'sell',
  min_value_cents: '1000000',
};

/** Path, query and header parameters of an operation. */
export function parametersOf(endpoint: Endpoint): readonly unknown[] {
  const named = (place: 'path' | 'query', shape: z.ZodRawShape): unknown[] =>
    Object.entries(shape).map(([name, schema]) => ({
      name,
      in: place,
      ...parameter(schema as z.ZodType, place, endpoint.example[name] ?? FURTHER_EXAMPLES[name]),
    }));
  return [
    ...named('path', endpoint.params),
    ...named('query', endpoint.query),
    ...(endpoint.credits > 0 ? [shared('IdempotencyKey')] : []),
    ...(endpoint.conditional === true ? [shared('IfNoneMatch')] : []),
    shared('RequestId'),
  ];
}

function shared(name: keyof typeof SHARED_PARAMETERS): unknown {
  return { $ref: `#/components/parameters/${name}` };
}

function parameter(schema: z.ZodType, place: 'path' | 'query', given: string | number | undefined) {
  const { description, ...rest } = inputSchema(schema);
  const example = given ?? rest['default'];
  const isList = rest['type'] === 'array';
  return {
    required: place === 'path' || !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    ...(isList ? { style: 'form', explode: false } : {}),
    // A text split at commas has at least one item.
    schema: isList ? { minItems: 1, ...rest } : rest,
    ...(example === undefined ? {} : { example: isList ? String(example).split(',') : example }),
  };
}
