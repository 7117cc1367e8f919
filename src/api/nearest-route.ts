import { nearest } from '../domain/search/spelling.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { type Problem, problem } from './http/problem.ts';

/** Addresses besides the endpoints that are worth a hint. */
const OTHERS = ['/mcp', '/mcp/catalog', '/openapi.json', '/docs', '/docs/reference', '/llms.txt', '/connect'];
const ROUTES = [...ENDPOINTS.map(({ path }) => `/v1${path}`), ...OTHERS].map((path) => ({
  path,
  segments: path.split('/').slice(1),
}));

/** There is nothing at this address; the nearest route is named by its template, so nothing given is repeated. */
export function noRoute(path: string): Problem {
  const found = nearestRoute(path) ?? nearestRoute(`/v1${path}`);
  const hint = found === null ? '' : ` You may mean ${found}.`;
  return problem('not_found', `There is no resource at this address.${hint} /docs/reference lists all.`);
}

/** The route whose fixed parts are all near to the given ones; a parameter may be anything. */
function nearestRoute(path: string): string | null {
  const given = path.split('/').slice(1);
  if (given.at(-1) === '') given.pop();
  const fitting = ROUTES.filter(
    ({ segments }) =>
      segments.length === given.length && segments.every((fixed, at) => isNear(fixed, given[at] ?? '')),
  );
  // A route without parameters says more than one whose parameter takes everything.
  return [...fitting].sort((a, b) => parametersOf(a) - parametersOf(b))[0]?.path ?? null;
}

function isNear(fixed: string, given: string): boolean {
  if (fixed.startsWith('{')) return given !== '';
  // Two letters are too few to compare, and the only version is 1.
  return fixed === 'v1' ? /^v\d+$/i.test(given) : nearest(given, [fixed]) !== null;
}

function parametersOf({ segments }: (typeof ROUTES)[number]): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}
