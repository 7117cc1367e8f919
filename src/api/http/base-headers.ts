import helmet from 'helmet';

/** Name, value, name, value… as `writeHead` takes them without a copy. */
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
  'X-Request-Id',
  'X-Sandbox',
];

const CORS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED.join(', '),
];

/**
 * The answer to a preflight: no credentials, so the key is never sent by the browser on its own.
 * `allow` is what a 405 of the route says, too.
 */
export function preflightHeaders(allow: string): HeaderList {
  return [
    'Allow',
    allow,
    'Access-Control-Allow-Methods',
    allow,
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id',
    'Access-Control-Max-Age',
    '86400',
  ];
}

/** On every answer of the API: CORS open, and what helmet sets, asked once because it is constant. */
export const BASE_HEADERS: HeaderList = [...CORS, ...helmetHeaders()];

function helmetHeaders(): string[] {
  const set: string[] = [];
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
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
  // helmet touches nothing of the request or the response but these two methods.
  middleware(
    {} as Parameters<typeof middleware>[0],
    recorder as unknown as Parameters<typeof middleware>[1],
    () => undefined,
  );
  return set;
}
