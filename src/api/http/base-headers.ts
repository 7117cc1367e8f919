import helmet from 'helmet';

/** Name, value, name, value…: the form that `writeHead` uses without a copy. */
export type HeaderList = readonly string[];

const EXPOSED = [
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Credits-Balance',
  'X-Credits-Charged',
  'X-Credits-Low',
  'X-Did-You-Mean',
  'X-Request-Id',
  'X-Sandbox',
  'X-Superseded',
];

const CORS: HeaderList = Object.entries({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED.join(', '),
}).flat();

/**
 * The answer to a preflight. It allows no credentials, so a browser never sends a key by itself.
 * @param allow the same methods as in a 405 of the route
 * @param more request headers that the route reads in addition
 */
export function preflightHeaders(allow: string, more: readonly string[]): HeaderList {
  const headers = ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match', 'X-Request-Id'];
  return Object.entries({
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': [...headers, ...more].join(', '),
    'Access-Control-Max-Age': '86400',
  }).flat();
}

/** On every answer of the API: open CORS, and the headers of helmet, read once because they are constant. */
export const BASE_HEADERS: HeaderList = [...CORS, ...helmetHeaders()];

function helmetHeaders(): string[] {
  const set: string[] = [];
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Other names below the domain are the operator's.
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
    crossOriginEmbedderPolicy: false,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  const recorder = {
    setHeader: (name: string, value: string) => set.push(name, value),
    removeHeader: () => undefined,
  };
  // helmet uses only these two methods of the response, and nothing of the request.
  middleware(
    {} as Parameters<typeof middleware>[0],
    recorder as unknown as Parameters<typeof middleware>[1],
    () => undefined,
  );
  return set;
}
