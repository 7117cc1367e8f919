import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint/endpoint.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { internal, invalid, methodNotAllowed } from './http/problem.ts';
import { refuse } from './http/reply.ts';
import { requestIdOf } from './http/request-id.ts';
import { serve } from './metering/serve-rest.ts';
import type { Api } from './open.ts';

/** HEAD would have to be metered, so it gets 405 like every other method (rule 11.2). */
export const ENDPOINT_METHOD = 'GET';

type Exchange = {
  readonly req: IncomingMessage & { readonly originalUrl?: string };
  readonly res: ServerResponse;
};

/**
 * A path parameter that cannot be decoded arrives here as a URIError of Express. The route is known, so the key is
 * checked first. Any other error is ours.
 */
export async function afterError(api: Api, error: unknown, { req, res }: Exchange): Promise<void> {
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
export function pathOf({ originalUrl, url }: Exchange['req']): string {
  return (originalUrl ?? url ?? '').split('?', 1)[0] ?? '';
}
