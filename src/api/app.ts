import type { ServerResponse } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { redisSetting, requireNoEviction } from '../redis.ts';
import { isKeyless } from './admission/rate-limit.ts';
import { briefReplies } from './cache/brief-lookup.ts';
import { csvOf } from './endpoint/csv.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { addFreeRoute, preflight } from './endpoint/free-route.ts';
import { queryOf, valuesFromText, withValues } from './endpoint/text-input.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { notedOf, requestIdOf } from './http/noted.ts';
import { type Detail, internal, invalid, methodNotAllowed, problem } from './http/problem.ts';
import {
  chooseReply,
  csvReply,
  encodedFor,
  hasCurrent,
  jsonReply,
  notModifiedReply,
  type Reply,
  refuse,
  send,
  sendProblem,
  taggedReply,
} from './http/reply.ts';
import { admit, type CallRequest, finishCall, openCall } from './metering/call.ts';
import { type Answered, nameCall } from './metering/idempotency.ts';
import { inTime } from './metering/with-deadline.ts';
import { noRoute } from './nearest-route.ts';
import type { Api } from './open.ts';

/** HEAD would have to be metered, so it gets 405 like every other method (rule 11.2). */
const ENDPOINT_METHOD = 'GET';

/** Adds the routes of a part besides the endpoints: pages, agent tools, descriptions. */
export type Mount = (app: Express, api: Api) => void;

/** The routes. Every answer goes through `send`, so no header or body of Express itself is ever sent. */
export function createApp(api: Api, mounts: readonly Mount[] = []): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Our own reader of the query checks repeated and unknown parameters; nothing is nested.
  app.set('query parser', false);
  app.use((req, res, next) => (isKeyless(req) ? api.limitByAddress(req, res, next) : next()));
  for (const endpoint of ENDPOINTS) addEndpoint(app, api, endpoint);
  addFreeRoute(app, '/health/live', (_req, res, requestId) => live(res, requestId));
  const ready = readiness(api);
  addFreeRoute(app, '/health/ready', (_req, res, requestId) => ready(res, requestId));
  app.use(['/connect', '/stocks', '/funds'], (req: Request, res: Response, next: NextFunction) => {
    if (api.access.allowsVisit(req.headers.host, req.socket.localPort)) next();
    else refuse(req, res, FOREIGN_HOST);
  });
  for (const mount of mounts) mount(app, api);
  // Of what is keyless, the address was counted already.
  app.use((req, res, next) => (isKeyless(req) ? next() : api.limitByAddress(req, res, next)));
  app.use((req: Request, res: Response) => refuse(req, res, noRoute(pathOf(req))));
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    void afterError(api, error, req, res);
  });
  return app;
}

const FOREIGN_HOST = problem(
  'forbidden',
  'This Host is not a name of this service. The operator may add it to ALLOWED_HOSTS.',
);
function addEndpoint(app: Express, api: Api, endpoint: Endpoint): void {
  const path = `/v1${endpoint.path.replace(/\{(\w+)\}/g, ':$1')}`;
  const route = `/v1${endpoint.path}`;
  app.all(path, async (req: Request, res: Response) => {
    notedOf(req).route = route;
    if (req.method === 'OPTIONS') return preflight(req, res, ENDPOINT_METHOD);
    if (req.method !== ENDPOINT_METHOD) return refuse(req, res, methodNotAllowed(ENDPOINT_METHOD));
    const params = req.params as Record<string, string>;
    await serve(api, endpoint, { req, res, requestId: requestIdOf(req), params });
  });
}

/**
 * A path parameter that cannot be decoded arrives here as a URIError of Express. The route is known, so the key is
 * checked first. Any other error is ours.
 */
async function afterError(api: Api, error: unknown, req: Request, res: Response): Promise<void> {
  // The socket of the request: an answer that waits in a pipeline has none of its own yet.
  if (res.headersSent) return void req.socket.destroy();
  const undecodable = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
  if (!undecodable) {
    api.log.error({ err: error, requestId: requestIdOf(req) }, 'call failed');
    return refuse(req, res, internal());
  }
  const path = pathOf(req);
  const endpoint = ENDPOINTS.find((one) => templateOf(one).test(path));
  if (endpoint === undefined) {
    return refuse(req, res, invalid([{ param: 'path', reason: 'is not decodable' }]));
  }
  if (req.method !== ENDPOINT_METHOD) return refuse(req, res, methodNotAllowed(ENDPOINT_METHOD));
  await serve(api, endpoint, { req, res, requestId: requestIdOf(req), params: null });
}

function templateOf(endpoint: Endpoint): RegExp {
  return new RegExp(`^/v1${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** Express changes `url` below a mounted path. */
function pathOf({ originalUrl }: Request): string {
  return originalUrl.split('?', 1)[0] ?? '';
}

const CHECK_MS = 2_000;

/** The process answers. Nothing else is checked. */
function live(res: ServerResponse, requestId: string): void {
  send(res, requestId, jsonReply(200, { data: { status: 'live' } }));
}

/** Anyone may ask, also while the process is overloaded: so the services are asked once in this time. */
const KEPT_MS = 1_000;

/**
 * MongoDB and Redis answer, and Redis loses no writes; else 503 with what is wrong. What is at risk and how the
 * last check ended is for operators: `tidemark status`.
 */
function readiness(api: Api): (res: ServerResponse, requestId: string) => Promise<void> {
  let kept: { readonly at: number; readonly missing: Promise<readonly Detail[]> } | null = null;
  return async (res, requestId) => {
    const now = performance.now();
    if (kept === null || now - kept.at >= KEPT_MS) kept = { at: now, missing: missingIn(api) };
    const missing = await kept.missing;
    if (missing.length === 0) return send(res, requestId, jsonReply(200, { data: { status: 'ready' } }));
    sendProblem(res, requestId, problem('unavailable', 'Not ready.', { details: missing }));
  };
}

async function missingIn(api: Api): Promise<Detail[]> {
  const { redis } = api.store;
  const found = await Promise.all([
    check('mongo', () => api.db.command({ ping: 1 })),
    check('redis', () => redis.ping()),
    check('redis_maxmemory_policy', () => requireNoEviction(redis, 'credits')),
    check('redis_appendonly', async () => {
      if ((await redisSetting(redis, 'appendonly')) !== 'yes') throw new Error('must be yes');
    }),
  ]);
  const missing = found.filter((detail) => detail !== null);
  if (missing.length > 0) api.log.warn({ missing }, 'not ready');
  return missing;
}

/** What is wrong, without the name of a host. */
async function check(param: string, action: () => Promise<unknown>): Promise<Detail | null> {
  try {
    await inTime(action(), CHECK_MS);
    return null;
  } catch {
    return { param, reason: param === 'mongo' || param === 'redis' ? 'does not answer' : 'not as required' };
  }
}

/** One request for one endpoint whose route is found. */
type Exchange = {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /** Decoded path parameters; null when one could not be decoded. */
  readonly params: Readonly<Record<string, string>> | null;
};

/**
 * Answers one call over REST: authenticates, validates, checks the balance, does the work, builds the
 * whole answer, charges, sends (rules 11.2 and 12.2).
 */
export async function serve(api: Api, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const { req, res, requestId } = exchange;
  const { presented, problem: refused } = await admit(api, req, res);
  if (refused !== null) return sendProblem(res, requestId, refused);
  const noted = notedOf(req);
  const opening = await openCall(api, { ...readCall(endpoint, exchange), endpoint, presented, noted });
  if (opening.opened === null) {
    if (opening.problem.status === 401) await api.authFailures.count(req, res);
    return sendProblem(res, requestId, opening.problem, opening.metered);
  }
  await finishCall(api, opening.opened, {
    res,
    build: (answered) => replyTo(req, endpoint, answered),
    deliver: (reply, metered) => send(res, requestId, reply, metered),
    refuse: (problem, metered) => sendProblem(res, requestId, problem, metered),
  });
}

/** Reads the parameters and headers. All their problems are listed together. */
function readCall(endpoint: Endpoint, { req, params }: Exchange): Pick<CallRequest, 'read' | 'named'> {
  const query = new URLSearchParams(queryOf(req.url ?? ''));
  const text = valuesFromText(endpoint, params ?? {}, query);
  const read = endpoint.read(text.values);
  const named = nameCall(endpoint, req, { read });
  const undecodable: Detail[] = params === null ? [{ param: 'path', reason: 'is not decodable' }] : [];
  const before = [...undecodable, ...text.details, ...named.details];
  if (before.length === 0 && read.ok) return { read, named };
  // Path parameters are repeated in errors too.
  const given = new URLSearchParams([...Object.entries(params ?? {}), ...query]);
  const listed = new Set(before.map((detail) => detail.param));
  const found = read.ok || params === null ? [] : read.details.filter((detail) => !listed.has(detail.param));
  return { read: { ok: false, details: withValues([...before, ...found], given) }, named };
}

/** The answer as its client takes it. */
function replyTo(req: Request, endpoint: Endpoint, answered: Answered): Reply {
  if (answered.kind === 'stored') return chooseReply(req, briefReplies(answered.brief, answered));
  const choosesBy = endpoint.csv === true ? 'Accept, ' : '';
  if (endpoint.csv === true && req.accepts(['json', 'csv']) === 'csv') {
    return encodedFor(req, csvReply(csvOf(endpoint, answered.body), answered.headers), choosesBy);
  }
  return encodedFor(req, jsonOf(req, answered), choosesBy);
}

function jsonOf(req: Request, { body, etag, headers }: Extract<Answered, { kind: 'body' }>): Reply {
  if (etag === undefined) return jsonReply(200, body, headers);
  return hasCurrent(req, etag) ? notModifiedReply(etag) : taggedReply(body, etag, headers);
}
