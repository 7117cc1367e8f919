import type { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { inputSchema, type JsonSchema } from './json-schema.ts';

/** Request headers of several operations, as components. */
export const SHARED_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Names the call. The same key with the same call within ten minutes is charged once, with at most five replays.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tags that the client has. The answer is 304 when one of them is current.',
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Kept when it has 8 to 64 letters, digits, dashes or underscores; any other value is ignored.',
    schema: { type: 'string' },
  },
} as const;

/** Path, query and header parameters of an operation. */
export function parametersOf(endpoint: Endpoint): readonly unknown[] {
  const named = (place: 'path' | 'query', shape: z.ZodRawShape): unknown[] =>
    Object.entries(shape).map(([name, schema]) => parameter({ endpoint, name, place }, schema as z.ZodType));
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

type Place = { readonly endpoint: Endpoint; readonly name: string; readonly place: 'path' | 'query' };

function parameter({ endpoint, name, place }: Place, schema: z.ZodType): unknown {
  const { description, ...rest } = inputSchema(schema);
  const example = endpoint.example[name];
  return {
    name,
    in: place,
    required: place === 'path' || !schema.safeParse(undefined).success,
    ...(description === undefined ? {} : { description }),
    ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema: rest['type'] === 'array' ? commaList(rest) : rest,
    ...(example === undefined
      ? {}
      : { example: rest['type'] === 'array' ? String(example).split(',') : example }),
  };
}

/** A text split at commas has at least one item. */
function commaList(schema: JsonSchema): JsonSchema {
  return { minItems: 1, ...schema };
}
