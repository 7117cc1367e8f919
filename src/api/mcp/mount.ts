import type { Request, Response } from 'express';
import type { Access } from '../admission/access.ts';
import type { Mount } from '../app.ts';
import { keysIn, queryOf } from '../endpoint/text-input.ts';
import { preflightHeaders } from '../http/base-headers.ts';
import { invalid, methodNotAllowed, type Problem, problem } from '../http/problem.ts';
import { problemReply, send } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
import { answerCatalog } from './catalog.ts';
import { sendRefusal } from './exchange.ts';
import { serveMessage } from './serve.ts';

/** The agent tools at `/mcp` and their catalog (rule 11.9). */
export const mountMcp: Mount = (app, api) => {
  app.all('/mcp', async (req: Request, res: Response) => {
    const line = { req, res, requestId: requestIdOf(req) };
    if (req.method !== 'POST' && req.method !== 'OPTIONS') return refuse(req, res, methodNotAllowed('POST'));
    const refused = strangeTo(api.access, req) ?? keyInUrl(req);
    if (refused !== null) return sendRefusal(line, null, { problem: refused, metered: [] });
    if (req.method === 'OPTIONS') return preflight(req, res, 'POST', PROTOCOL_HEADERS);
    await serveMessage(api, line);
  });
  app.all('/mcp/catalog', (req: Request, res: Response) => {
    if (req.method === 'OPTIONS') return preflight(req, res, CATALOG_METHODS, []);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      return refuse(req, res, methodNotAllowed(CATALOG_METHODS));
    }
    const refused = keyInUrl(req);
    if (refused !== null) return refuse(req, res, refused);
    answerCatalog(req, res);
  });
};

const CATALOG_METHODS = 'GET, HEAD';
const PROTOCOL_HEADERS = ['Accept', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'];

const STRANGE_HOST = problem('forbidden', 'This Host is not a name of this service.');
const STRANGE_ORIGIN = problem('forbidden', 'Pages of this Origin may not call the agent tools.');

/** A page that was given another name for this address, or that belongs to another site. */
function strangeTo(access: Access, { headers, socket }: Request): Problem | null {
  if (!access.allowsHost(headers.host, socket.localPort)) return STRANGE_HOST;
  return access.allowsOrigin(headers.origin, socket.localPort) ? null : STRANGE_ORIGIN;
}

function keyInUrl(req: Request): Problem | null {
  const details = keysIn(new URLSearchParams(queryOf(req.originalUrl)));
  return details.length === 0 ? null : invalid(details);
}

function preflight(req: Request, res: Response, allow: string, more: readonly string[]): void {
  const headers = preflightHeaders(allow).map((value, at, all) =>
    all[at - 1] === 'Access-Control-Allow-Headers' ? [value, ...more].join(', ') : value,
  );
  send(res, requestIdOf(req), { status: 204, headers, body: null });
}

function refuse(req: Request, res: Response, told: Problem): void {
  const requestId = requestIdOf(req);
  send(res, requestId, problemReply(told, requestId));
}
