import type { IncomingMessage } from 'node:http';
import {
  type CallToolResult,
  isJsonContentType,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import type { Access } from '../admission/access.ts';
import type { Mount } from '../app.ts';
import type { Outcome } from '../endpoint/endpoint.ts';
import { addDocument, preflight } from '../endpoint/free-route.ts';
import { keyInUrl, queryOf, shortened } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { BODY_TOO_LARGE, readBody } from '../http/limits.ts';
import { notedOf, requestIdOf } from '../http/noted.ts';
import { invalid, methodNotAllowed, type Problem, problem } from '../http/problem.ts';
import { encodedFor, type Reply, refuse, send } from '../http/reply.ts';
import { admit, finishCall, openCall, type Responder } from '../metering/call.ts';
import { type Answered, nameCall, type OpenedCall } from '../metering/idempotency.ts';
import type { Api } from '../open.ts';
import { type Requested, requestedCall, type Wanted } from './arguments.ts';
import { type McpExchange, replyOf, sendRefusal } from './exchange.ts';
import {
  type Envelope,
  errorEnvelope,
  type Message,
  NO_WORK,
  type ReadMessage,
  readMessage,
} from './message.ts';
import { BRIEF_PROMPT, BRIEF_TEMPLATE, contentsOf } from './resource.ts';
import { resultOf } from './result.ts';
import { answerBySdk, PROTOCOL_VERSIONS, SERVER } from './sdk.ts';
import { TOOLS } from './tool.ts';

/**
 * Answers one message. Every message needs a key and counts against its rate limit. Only a tool is
 * charged, by the same code as its REST mirror.
 */
async function serveMessage(api: Api, exchange: McpExchange): Promise<void> {
  const { req, res } = exchange;
  const { presented, problem: refused } = await admit(api, req, res);
  if (presented === null) return refuseOverHttp(exchange, refused);
  if (!isPlainJson(req)) return refuseOverHttp(exchange, NOT_JSON);
  const body = await readBody(req);
  if (body.kind === 'aborted') return;
  if (body.kind === 'too_large') {
    res.shouldKeepAlive = false;
    return refuseOverHttp(exchange, BODY_TOO_LARGE);
  }
  const message = readMessage(body.bytes);
  const requested = requestedCall(message.ok ? message.message : null);
  const named = nameCall(requested.endpoint, req, {
    read: requested.read,
    key: requested.tool?.key,
    ...(requested.tool === null ? {} : { repeat: repeatOf(presented.keyId, message, requested.tool.wanted) }),
  });
  const noted = notedOf(req);
  noted.tool = requested.endpoint.name;
  // A wrong header is listed with the arguments, as over REST.
  const wrong = [...named.details, ...(requested.read.ok ? [] : requested.read.details)];
  const read = wrong.length === 0 ? requested.read : ({ ok: false, details: wrong } as const);
  const opening = await openCall(api, { endpoint: requested.endpoint, presented, read, named, noted });
  const { tool } = requested;
  if (opening.opened !== null) return finish(api, exchange, { message, tool }, opening.opened);
  if (opening.problem.status === 401) await api.authFailures.count(req, res);
  await sendRefusal(exchange, { message: sentOf(message), isTool: requested.tool !== null }, opening);
}

function sentOf(message: ReadMessage): Message | null {
  return message.ok ? message.message : null;
}

/** A host that lost an answer sends the same message again (rule 12.3). */
function repeatOf(keyId: string, message: ReadMessage, { isJson }: Wanted): readonly unknown[] {
  return [keyId, sentOf(message)?.id, isJson];
}

const NOT_JSON = problem(
  'unsupported_media_type',
  'Send Content-Type: application/json, without a Content-Encoding.',
);

function isPlainJson({ headers }: IncomingMessage): boolean {
  return (
    isJsonContentType(headers['content-type']) && (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}

function refuseOverHttp(exchange: McpExchange, problem: Problem): Promise<void> {
  return sendRefusal(exchange, { message: null, isTool: false }, { problem, metered: [] });
}

const NO_TOOL = problem('invalid_parameter', 'The protocol refused the message before it reached a tool.');

/** A message, and the tool that it calls. */
type Asked = { readonly message: ReadMessage; readonly tool: Requested['tool'] };
type Work = () => Promise<Outcome<unknown>>;

/** Never sent: a refusal takes its place. */
const NO_RESULT = { content: [], structuredContent: {} };
const NO_CONTENTS = { contents: [] };

/** The work is done while the SDK builds the answer, so the answer is complete before it is charged. */
async function finish(api: Api, exchange: McpExchange, asked: Asked, opened: OpenedCall) {
  const { res, requestId } = exchange;
  let envelope: Envelope = { status: 202, text: null };
  const run: OpenedCall['run'] = async (reading) => {
    const made = await answer(exchange, asked, () => opened.run(reading));
    envelope = made.envelope;
    if (made.outcome !== null) return made.outcome;
    return asked.tool === null ? NO_WORK : { kind: 'problem', problem: NO_TOOL };
  };
  const responder: Responder<Reply> = {
    res,
    build: () => encodedFor(exchange.req, replyOf(envelope)),
    deliver: (reply, metered) => send(res, requestId, reply, metered),
    refuse: (refused, metered) =>
      refused === NO_TOOL
        ? send(res, requestId, replyOf(envelope), metered)
        : sendRefusal(
            exchange,
            { message: sentOf(asked.message), isTool: asked.tool !== null },
            { problem: refused, metered },
          ),
  };
  await finishCall(api, { ...opened, run }, responder);
}

/**
 * Throws what the work throws: the SDK would send its text, but metering knows the public answer. Null
 * `outcome`: the message reached no tool.
 */
async function answer({ req }: McpExchange, { message: read, tool }: Asked, work: Work) {
  if (!read.ok) {
    const error = { code: read.code, message: read.reason };
    return { envelope: errorEnvelope(400, read.id, error), outcome: null };
  }
  let done: Promise<Outcome<unknown>> | null = null;
  const resultBy = async <T>(none: T, make: (answered: Answered) => T): Promise<T> => {
    let result = none;
    done = work().then((outcome) => {
      if (outcome.kind !== 'problem') result = make(outcome);
      return outcome;
    });
    await done.catch(() => undefined);
    return result;
  };
  const envelope = await answerBySdk(req, read.message, {
    callTool: () =>
      resultBy<CallToolResult>(NO_RESULT, (answered) =>
        tool === null ? NO_RESULT : resultOf(answered, tool.endpoint, tool.wanted),
      ),
    readResource: (uri) => resultBy<ReadResourceResult>(NO_CONTENTS, (answered) => contentsOf(answered, uri)),
  });
  return { envelope, outcome: await (done as Promise<Outcome<unknown>> | null) };
}

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
