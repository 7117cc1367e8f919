import type { Request, Response } from 'express';
import type { Access } from '../admission/access.ts';
import type { Mount } from '../app.ts';
import { addDocument, preflight } from '../endpoint/free-route.ts';
import { keyInUrl, queryOf, shortened } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { notedOf, requestIdOf } from '../http/noted.ts';
import { invalid, methodNotAllowed, type Problem, problem } from '../http/problem.ts';
import { refuse } from '../http/reply.ts';
import { sendRefusal } from './exchange.ts';
import { BRIEF_PROMPT, BRIEF_TEMPLATE } from './resource.ts';
import { PROTOCOL_VERSIONS, SERVER } from './sdk.ts';
import { serveMessage } from './serve.ts';
import { TOOLS } from './tool.ts';

/** The agent tools at `/mcp` and their catalog (rule 11.9). */
export const mountMcp: Mount = (app, api) => {
  // With a slash too: hosts add one, and few follow a redirect of a POST.
  app.all(['/mcp', '/mcp/'], async (req: Request, res: Response) => {
    notedOf(req).route = '/mcp';
    if (req.method !== 'POST' && req.method !== 'OPTIONS') return refuse(req, res, methodNotAllowed('POST'));
    const exchange = { req, res, requestId: requestIdOf(req) };
    const refused = foreignTo(api.access, req) ?? keyInUrl(req.originalUrl) ?? wrongNames(req.originalUrl);
    if (refused !== null) {
      const refusal = { problem: refused, metered: [] };
      // No key is read, so it counts for the address.
      return void api.limitByAddress(req, res, () => void sendRefusal(exchange, NO_MESSAGE, refusal));
    }
    if (req.method === 'OPTIONS') return preflight(req, res, 'POST', PROTOCOL_HEADERS);
    await serveMessage(api, exchange);
  });
  addDocument(app, '/mcp/catalog', () => CATALOG);
};

const NO_MESSAGE = { message: null, isTool: false };

const PROTOCOL_HEADERS = ['Accept', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'];

const FOREIGN_HOST = problem('forbidden', 'This Host is not a name of this service.');
const FOREIGN_ORIGIN = problem('forbidden', 'Pages of this Origin may not call the agent tools.');

/** The problem of a page that reaches this address by another name, or that belongs to another site. */
function foreignTo(access: Access, { headers, socket }: Request): Problem | null {
  if (!access.allowsHost(headers.host, socket.localPort)) return FOREIGN_HOST;
  return access.allowsOrigin(headers.origin, socket.localPort) ? null : FOREIGN_ORIGIN;
}

/** `names` has one value besides none: a misspelt one would list the names that the host refuses. */
function wrongNames(url: string): Problem | null {
  const given = new URLSearchParams(queryOf(url)).get('names');
  if (given === null || given === 'underscore') return null;
  return invalid([{ param: 'names', reason: 'must be underscore', value: shortened(given) }]);
}

/** The tools, with the price and the REST mirror that the list of the protocol has no place for. It changes only with a release. */
const CATALOG = {
  data: {
    server: { name: SERVER.name, version: SERVER.version },
    protocol_versions: PROTOCOL_VERSIONS,
    tools: TOOLS.map((tool) => {
      const endpoint = ENDPOINTS.find(({ name }) => name === tool.name);
      return { ...tool, cost_credits: endpoint?.credits, rest_mirror: `GET /v1${endpoint?.path}` };
    }),
    resource_templates: [BRIEF_TEMPLATE],
    prompts: [BRIEF_PROMPT],
  },
};
