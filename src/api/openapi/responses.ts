import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { exampleOf } from '../endpoint/examples.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import {
  ERRORS,
  type ErrorCode,
  insufficient,
  internal,
  invalid,
  methodNotAllowed,
  type Problem,
  problem,
  unauthorized,
  unavailable,
} from '../http/problem.ts';
import { problemBody } from '../http/reply.ts';
import { type Components, codesByStatus, type JsonSchema, outputSchema, problemShape } from './components.ts';
import { headersOf } from './headers.ts';

/** Errors of every operation. */
const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_parameter',
  'unauthorized',
  'method_not_allowed',
  'request_timeout',
  'content_too_large',
  'uri_too_long',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'unavailable',
];
const METERED: readonly ErrorCode[] = [
  'insufficient_credits',
  'idempotency_conflict',
  'idempotency_exhausted',
  'idempotency_mismatch',
];

/** Every error code of the operation. */
function errorCodesOf(endpoint: Endpoint): readonly ErrorCode[] {
  const metered = endpoint.credits > 0 ? METERED : [];
  // Without its path parameter there is no such address.
  const addressed: ErrorCode[] = Object.keys(endpoint.params).length > 0 ? ['not_found'] : [];
  return [...new Set([...EVERYWHERE, ...metered, ...addressed, ...endpoint.errors])];
}

const NOT_MODIFIED = 'The client has the current version. Charged like the answer itself.';

export type Building = { readonly components: Components; readonly siteUrl: string };

/** Responses that all operations share, as components named by the phrase of their status. */
export function responseComponents(building: Building): Record<string, unknown> {
  const shared = codesByStatus([...EVERYWHERE, ...METERED]);
  return Object.fromEntries(
    [...shared].map(([status, codes]) => [phrase(status), errorResponse(building, null, codes)]),
  );
}

/** All responses of an operation by status. */
export function responsesOf(endpoint: Endpoint, building: Building): Record<string, unknown> {
  const shared = new Set<ErrorCode>([...EVERYWHERE, ...METERED]);
  const errors = [...codesByStatus(errorCodesOf(endpoint))].map(([status, codes]) => [
    String(status),
    codes.every((code) => shared.has(code))
      ? { $ref: `#/components/responses/${phrase(status)}` }
      : errorResponse(building, endpoint, codes),
  ]);
  return {
    200: success(endpoint),
    ...(endpoint.conditional === true
      ? { 304: { description: NOT_MODIFIED, headers: headersOf(endpoint, 304) } }
      : {}),
    ...Object.fromEntries(errors),
  };
}

function success(endpoint: Endpoint): unknown {
  const example = exampleOf(endpoint.name);
  const links = linksOf(endpoint);
  return {
    // Not a content type of its own: generated clients would type every answer as an object or a text.
    description: `${endpoint.summary}${endpoint.csv === true ? '. With `Accept: text/csv` its rows as CSV' : ''}`,
    headers: headersOf(endpoint, 200),
    ...(Object.keys(links).length === 0 ? {} : { links }),
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${bodyName(endpoint)}` },
        ...(example === null ? {} : { example }),
      },
    },
  };
}

/** The whole body of a 200 as a component: `fund.list` is `FundList`. */
function bodyName(endpoint: Endpoint): string {
  return endpoint.name.replace(/(?:^|[._-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function bodySchemas(endpoints: readonly Endpoint[], { refer }: Components) {
  return Object.fromEntries(endpoints.map((one) => [bodyName(one), refer(outputSchema(one.output))]));
}

function errorResponse(
  { components, siteUrl }: Building,
  endpoint: Endpoint | null,
  codes: readonly ErrorCode[],
) {
  const status = [...codesByStatus(codes).keys()][0] ?? 500;
  const examples = codes.map((code) => [
    code,
    { summary: ERRORS[code].meaning, value: problemExample(code, siteUrl) },
  ]);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].meaning}`).join(' '),
    headers: headersOf(endpoint, status),
    content: {
      'application/json': {
        schema: components.refer(outputSchema(problemShape(codes))),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function phrase(status: number): string {
  return z.string().parse(STATUS_CODES[status]).replace(/\W/g, '');
}

/** Values in an answer that are parameters of other calls. `within`: the members that have the property. */
const LEADS = [
  { parameter: 'cik', property: 'cik', within: ['data', 'fund'] },
  { parameter: 'ticker', property: 'ticker', within: ['entity', 'events', 'holdings'] },
  // In place of the entity's, which is empty where no security has the ticker.
  { parameter: 'ticker', property: 'requested_ticker', within: ['data'] },
  { parameter: 'brief_id', property: 'brief_id', within: ['data'] },
  { parameter: 'accession', property: 'accession_number', within: ['events', 'transactions'] },
];

/** The Links of a 200: calls whose path parameter it contains, and its next page by cursor. */
function linksOf(endpoint: Endpoint): Record<string, unknown> {
  const properties = propertiesIn(outputSchema(endpoint.output), '', '');
  const links = LEADS.flatMap((lead) => {
    const found = properties.find(
      ({ name, within }) => name === lead.property && lead.within.includes(within),
    );
    if (found === undefined) return [];
    const targets = ENDPOINTS.filter((one) => one !== endpoint && Object.hasOwn(one.params, lead.parameter));
    return targets.map((target) => link(target, lead.parameter, found.pointer));
  });
  const cursor = properties.find(({ name }) => name === 'next_cursor');
  if (cursor !== undefined) links.push(link(endpoint, 'since', cursor.pointer));
  return Object.fromEntries(links);
}

function link(target: Endpoint, parameter: string, pointer: string): [string, unknown] {
  const described = { operationId: target.name, parameters: { [parameter]: `$response.body#${pointer}` } };
  return [target.name, { ...described, description: target.summary }];
}

type Property = { readonly name: string; readonly within: string; readonly pointer: string };

/** Every property with a JSON pointer to it; for a list, of its first item. */
function propertiesIn(schema: JsonSchema, within: string, pointer: string): Property[] {
  const items = schema['items'] as JsonSchema | undefined;
  if (items !== undefined) return propertiesIn(items, within, `${pointer}/0`);
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>);
  const here = members.map(([name]) => ({ name, within, pointer: `${pointer}/${name}` }));
  return [...here, ...members.flatMap(([name, member]) => propertiesIn(member, name, `${pointer}/${name}`))];
}

const REQUEST_ID = '5f0c1a2b3c4d-1z';

/** The body of an error as a client sees it, made by the function that makes it in the API where there is one. */
export function problemExample(code: ErrorCode, siteUrl: string): unknown {
  return problemBody(made(code, siteUrl), { requestId: REQUEST_ID, siteUrl });
}

function made(code: ErrorCode, siteUrl: string): Problem {
  switch (code) {
    case 'invalid_parameter':
      return invalid([{ param: 'limit', reason: 'must be 1 to 100', value: '1000' }]);
    case 'unauthorized':
      return unauthorized();
    case 'insufficient_credits':
      return insufficient(HIGHEST_PRICE, 3, { siteUrl, supportContact: undefined });
    case 'method_not_allowed':
      return methodNotAllowed('GET');
    case 'internal_error':
      return internal();
    case 'unavailable':
      return unavailable();
    case 'holdings_reported_elsewhere':
      return problem(code, ERRORS[code].meaning, { extra: { managers: [REPORTING_MANAGER] } });
    default:
      return problem(code, ERRORS[code].meaning);
  }
}

const REPORTING_MANAGER = {
  name: 'BERKSHIRE HATHAWAY INC',
  cik: '0001067983',
  form13f_file_number: '028-04545',
};

const HIGHEST_PRICE = Math.max(...ENDPOINTS.map((endpoint) => endpoint.credits));
