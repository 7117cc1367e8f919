import type { IncomingMessage, ServerResponse } from 'node:http';
import { groupBy } from '../domain/group.ts';
import { afterError, ENDPOINT_METHOD } from './after-error.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { notedOf } from './http/noted.ts';
import { requestIdOf } from './http/request-id.ts';
import { serve } from './metering/serve-rest.ts';
import type { Api } from './open.ts';

type Route = {
  readonly endpoint: Endpoint;
  /** Its template, which the access log and the metrics name. */
  readonly name: string;
  /** Below `/v1/`; those of parameters begin with a brace. */
  readonly segments: readonly string[];
};

type Found = { readonly route: Route; readonly params: Readonly<Record<string, string>> };

/** By the number of segments; in each list in the order of the endpoints, as Express asks them. */
const ROUTES = groupBy(ENDPOINTS.map(routeOf), ({ segments }) => segments.length);

/** The path below `/v1/` of an address that Express reads as it stands: without a host, a fragment or white space. */
const PLAIN = /^\/v1\/([^?#\s]+)(?:\?[^#\s]*)?$/;

/**
 * Answers a GET of an endpoint without Express, whose routing costs more than all checks of a call. Returns false for
 * everything else: another method, an address that is no endpoint or cannot be decoded. Express answers it, and would
 * answer these calls alike; a test compares the answers of both.
 */
export function answerDirect(api: Api, req: IncomingMessage, res: ServerResponse): boolean {
  if (req.method !== ENDPOINT_METHOD) return false;
  const found = findRoute(req.url ?? '');
  if (found === null) return false;
  const { route, params } = found;
  notedOf(req).route = route.name;
  const exchange = { req, res, requestId: requestIdOf(req), params };
  serve(api, route.endpoint, exchange).catch((error: unknown) => afterError(api, error, { req, res }));
  return true;
}

function routeOf(endpoint: Endpoint): Route {
  return { endpoint, name: `/v1${endpoint.path}`, segments: endpoint.path.slice(1).split('/') };
}

/** The route of an address with its decoded parameters. */
function findRoute(url: string): Found | null {
  const given = PLAIN.exec(url)?.[1]?.split('/') ?? [];
  const route = ROUTES.get(given.length)?.find(({ segments }) => fits(segments, given));
  if (route === undefined) return null;
  const params: Record<string, string> = {};
  for (const [at, segment] of route.segments.entries()) {
    if (!isParameter(segment)) continue;
    const value = decoded(given[at] ?? '');
    if (value === null) return null;
    params[segment.slice(1, -1)] = value;
  }
  return { route, params };
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  return segments.every((segment, at) => (isParameter(segment) ? given[at] !== '' : given[at] === segment));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
