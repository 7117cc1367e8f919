import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Api } from './api.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { keysIn, queryOf } from './endpoint/text-input.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { live, ready } from './health.ts';
import { preflightHeaders } from './http/base-headers.ts';
import { internal, invalid, methodNotAllowed, type Problem, problem } from './http/problem.ts';
import { problemReply, send } from './http/reply.ts';
import { requestIdOf } from './http/request-id.ts';
import { serve } from './metering/serve-rest.ts';

/** Adds the routes of a part that stands beside the endpoints: pages, agent tools, descriptions. */
export type Mount = (app: Express, api: Api) => void;

/** The routes. Every answer goes through `send`, so Express's own headers and bodies never show. */
export function createApp(api: Api, mounts: readonly Mount[] = []): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  // Our own reader of the query judges repeated and unknown parameters; nothing is nested.
  app.set('query parser', false);
  for (const endpoint of ENDPOINTS) addEndpoint(app, api, endpoint);
  addHealth(app, '/health/live', (res, requestId) => live(res, requestId));
  addHealth(app, '/health/ready', (res, requestId) => ready(api, res, requestId));
  for (const mount of mounts) mount(app, api);
  app.use((req: Request, res: Response) => tell(req, res, problem('not_found', 'There is nothing here.')));
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    void afterError(api, error, req, res);
  });
  return app;
}

/** `GET` alone; HEAD would have to be metered and answers 405, as every other method (rule 11.2). */
function addEndpoint(app: Express, api: Api, endpoint: Endpoint): void {
  const path = `/v1${endpoint.path.replace(/\{(\w+)\}/g, ':$1')}`;
  app.all(path, async (req: Request, res: Response) => {
    if (req.method === 'OPTIONS') return preflight(req, res, endpoint.method);
    if (req.method !== endpoint.method) return tell(req, res, methodNotAllowed(endpoint.method));
    const params = req.params as Record<string, string>;
    await serve(api, endpoint, { req, res, requestId: requestIdOf(req), params });
  });
}

const HEALTH_METHODS = 'GET, HEAD';

function addHealth(
  app: Express,
  path: string,
  answer: (res: Response, requestId: string) => void | Promise<void>,
): void {
  app.all(path, async (req: Request, res: Response) => {
    if (req.method === 'OPTIONS') return preflight(req, res, HEALTH_METHODS);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      return tell(req, res, methodNotAllowed(HEALTH_METHODS));
    }
    // Any other parameter is a balancer's own business.
    const details = keysIn(new URLSearchParams(queryOf(req.originalUrl)));
    if (details.length > 0) return tell(req, res, invalid(details));
    await answer(res, requestIdOf(req));
  });
}

function preflight(req: Request, res: Response, allow: string): void {
  send(res, requestIdOf(req), { status: 204, headers: preflightHeaders(allow), body: null });
}

/**
 * A path parameter that cannot be decoded arrives here as a URIError: the route is known, so the
 * key is asked for first. Anything else is ours.
 */
async function afterError(api: Api, error: unknown, req: Request, res: Response): Promise<void> {
  // The request's: an answer that waits in a pipeline has no socket of its own yet.
  if (res.headersSent) return void req.socket.destroy();
  const undecodable = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
  if (!undecodable) {
    api.log.error({ err: error }, 'call failed');
    return tell(req, res, internal());
  }
  const endpoint = ENDPOINTS.find((one) => templateOf(one).test(pathOf(req)));
  if (endpoint === undefined) return tell(req, res, invalid([{ param: 'path', reason: 'not decodable' }]));
  if (req.method !== endpoint.method) return tell(req, res, methodNotAllowed(endpoint.method));
  await serve(api, endpoint, { req, res, requestId: requestIdOf(req), params: null });
}

function templateOf(endpoint: Endpoint): RegExp {
  return new RegExp(`^/v1${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`);
}

function pathOf(req: Request): string {
  return req.originalUrl.split('?', 1)[0] ?? '';
}

function tell(req: Request, res: Response, told: Problem): void {
  const requestId = requestIdOf(req);
  send(res, requestId, problemReply(told, requestId));
}
