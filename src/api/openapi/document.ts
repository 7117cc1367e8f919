import type { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { EVENT_PROMISE } from '../endpoints/event-shape.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { creditText } from '../http/problem.ts';
import { inputSchema, openComponents } from './components.ts';
import { headerComponents } from './headers.ts';
import { type Building, bodySchemas, responseComponents, responsesOf } from './responses.ts';
import { samplesOf } from './samples.ts';

const DESCRIPTION = `Who is really building or leaving a position, with proof: SEC Form 13F and Form 4 filings as content-addressed capital-change briefs, fund holdings, insider trades and a stream of filing events.

**Answers.** JSON, with the payload in \`data\`. Share counts and cents are decimal strings; other whole numbers are JSON numbers. Errors have one shape, \`{ error, message, request_id, docs_url, details? }\`, and list every problem of a request.

**Credits.** Only 2xx and 304 are charged, after the whole answer is built. \`x-credit-cost\` is the price of an operation. Errors cost nothing.

**Events.** ${EVENT_PROMISE}

**Not advice.** 13F filings report quarter-end positions, up to 45 days old. Forms 4 report trades some days later. Nothing here is real-time.`;

const INFO = {
  title: 'Tidemark',
  version: '1.0.0',
  summary: 'SEC 13F and Form 4 filings as capital-change briefs',
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** The OpenAPI 3.1 description of the endpoints, derived only from their list. */
export function openApiDocument(siteUrl: string): Record<string, unknown> {
  const components = openComponents();
  const building: Building = { components, siteUrl };
  const bodies = bodySchemas(ENDPOINTS, components);
  const responses = responseComponents(building);
  const paths = Object.fromEntries(
    ENDPOINTS.map((endpoint) => [endpoint.path, { get: operation(endpoint, building) }]),
  );
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: `${siteUrl}/v1` }],
    externalDocs: { description: 'Guide', url: `${siteUrl}/docs` },
    security: [{ key: [] }],
    tags: tags(),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key from ${siteUrl}/connect. It is accepted in this header only.`,
        },
      },
      schemas: { ...bodies, ...components.schemas },
      parameters: SHARED_PARAMETERS,
      headers: headerComponents([paths, responses]),
      responses,
    },
  };
}

function operation(endpoint: Endpoint, building: Building): unknown {
  return {
    operationId: endpoint.name,
    summary: endpoint.title,
    description: descriptionOf(endpoint),
    tags: [tagOf(endpoint)],
    'x-credit-cost': endpoint.credits,
    'x-codeSamples': samplesOf(endpoint, building.siteUrl),
    ...(endpoint.hasRule ? { 'x-parameter-rule': true } : {}),
    parameters: parametersOf(endpoint),
    responses: responsesOf(endpoint, building),
  };
}

function descriptionOf(endpoint: Endpoint): string {
  return `${endpoint.summary}.\n\n${explanationOf(endpoint)}\n\n${priceOf(endpoint)}`;
}

/** Everything the reference says about an endpoint, in paragraphs. */
export function explanationOf({ description, details }: Endpoint): string {
  return details === undefined ? description : `${description}\n\n${details}`;
}

/** In words, because readers of the reference do not see the extension. */
export function priceOf({ credits }: Endpoint): string {
  return credits === 0 ? 'Free.' : `Costs ${creditText(credits)}. Errors cost nothing.`;
}

/** The first part of the path groups the operations. */
export function tagOf({ path }: Endpoint): string {
  const first = path.split('/')[1] ?? '';
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
}

function tags(): unknown[] {
  const names = [...new Set(ENDPOINTS.map(tagOf))];
  return names.map((name) => ({
    name,
    description: ENDPOINTS.filter((endpoint) => tagOf(endpoint) === name)
      .map((endpoint) => endpoint.title)
      .join(' · '),
  }));
}

/** Request headers of several operations, as components. */
const SHARED_PARAMETERS = {
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
function parametersOf(endpoint: Endpoint): readonly unknown[] {
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
