import type { IncomingMessage } from 'node:http';
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  type ReadResourceResult,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { queryOf } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { type Envelope, errorEnvelope, type Message, RPC_CODE } from './message.ts';
import { BRIEF_PROMPT, BRIEF_TEMPLATE, promptOf } from './resource.ts';
import { toolsIn } from './tool.ts';
import { inSpelling, type Spelling } from './tool-name.ts';

export const SERVER = { name: 'tidemark', title: 'Tidemark', version: '1.0.0' } as const;

/** The revision without a handshake, then the revisions with `initialize`. */
export const PROTOCOL_VERSIONS: readonly string[] = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];

const INSTRUCTIONS =
  'SEC 13F and Form 4 filings as capital changes with proof. Start with capital_change_brief for one ticker: who opened, added, cut or closed a position, and what insiders did. Follow events.latest by its next_cursor for new filings. The description of each tool names its price in credits; credits.balance is free. The resource tidemark://briefs/{brief_id} is any brief again, free. Reported filings are past positions, not live trades and not advice.';

/** With the names that the list has. */
function instructionsIn(spelling: Spelling): string {
  const named = ENDPOINTS.filter(({ name }) => INSTRUCTIONS.includes(name));
  return named.reduce((text, { name }) => text.replaceAll(name, inSpelling(name, spelling)), INSTRUCTIONS);
}

/** What the SDK asks us for. None of it may throw, because the SDK would send the text of the error. */
type Handlers = {
  readonly callTool: () => Promise<CallToolResult>;
  readonly readResource: (uri: string) => Promise<ReadResourceResult>;
};

/**
 * Answers one message by the official SDK, with a new server for each message. Nothing is kept between
 * messages, so any process can answer. At most one handler is called, once, and only for a message that the
 * protocol accepts.
 */
export async function answerBySdk(
  req: IncomingMessage,
  message: Message,
  handlers: Handlers,
): Promise<Envelope> {
  // Lists never change while a process runs, so there is nothing to subscribe to.
  if (message.method === 'subscriptions/listen') return unknownMethod(message);
  const request = requestOf(req);
  const server = (): Server => serverFor(handlers, spellingOf(req));
  const response = (await isLegacyRequest(request, message))
    ? await answerLegacy(server(), request, message)
    : await createMcpHandler(server, { legacy: 'reject' }).fetch(request, { parsedBody: message });
  const text = await response.text();
  return { status: response.status, text: text === '' ? null : text };
}

/** For revisions before 2026-07-28 the handler of the SDK would answer with a stream. */
async function answerLegacy(server: Server, request: Request, message: Message): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

const VALIDATOR = new AjvJsonSchemaValidator();
const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const;
const CACHE_HINTS = {
  'tools/list': LIST_CACHE,
  'prompts/list': LIST_CACHE,
  'resources/list': LIST_CACHE,
  'resources/templates/list': LIST_CACHE,
  'server/discover': LIST_CACHE,
  // A brief never changes.
  'resources/read': { ttlMs: 86_400_000, cacheScope: 'private' },
} as const;

/** Hosts that refuse a dot in a name use the address with `names=underscore`. */
function spellingOf(req: IncomingMessage): Spelling {
  return new URLSearchParams(queryOf(req.url ?? '')).get('names') === 'underscore' ? 'underscore' : 'own';
}

/** A list that has no second page. */
function onePage<T>(list: T) {
  return ({ params }: { readonly params?: { readonly cursor?: string | undefined } | undefined }): T => {
    if (params?.cursor !== undefined) throw new ProtocolError(RPC_CODE.params, 'The list has one page.');
    return list;
  };
}

function serverFor({ callTool, readResource }: Handlers, spelling: Spelling): Server {
  const server = new Server(SERVER, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: instructionsIn(spelling),
    jsonSchemaValidator: VALIDATOR,
    cacheHints: CACHE_HINTS,
  });
  server.setRequestHandler('tools/list', onePage({ tools: [...toolsIn(spelling)] }));
  server.setRequestHandler('tools/call', callTool);
  server.setRequestHandler('resources/list', onePage({ resources: [] }));
  server.setRequestHandler('resources/templates/list', onePage({ resourceTemplates: [BRIEF_TEMPLATE] }));
  server.setRequestHandler('resources/read', ({ params }) => readResource(params.uri));
  server.setRequestHandler('prompts/list', onePage({ prompts: [BRIEF_PROMPT] }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    promptOf(params.name, params.arguments ?? {}, spelling),
  );
  return server;
}

/** The headers that the protocol reads. The body is passed separately, already parsed. */
function requestOf(req: IncomingMessage): Request {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  for (const [name, value] of Object.entries(req.headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') headers.set(name, value);
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers });
}

function unknownMethod({ id }: Message): Envelope {
  if (id === undefined) return { status: 202, text: null };
  return errorEnvelope(404, id, { code: RPC_CODE.method, message: 'Method not found' });
}
