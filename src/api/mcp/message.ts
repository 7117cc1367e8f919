import { isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { Outcome } from '../endpoint/endpoint.ts';
import type { Priced } from '../metering/idempotency.ts';

/** A request; without `id` a notification. */
export type Message = {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
};

export type ReadMessage =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly code: number; readonly reason: string; readonly id: RpcId };

const MAX_DEPTH = 32;

/** Reads one JSON-RPC message. Batches, replies and null ids are not requests (MCP, base protocol). */
export function readMessage(bytes: Buffer): ReadMessage {
  const text = textOf(bytes);
  if (text === null) return refused(RPC_CODE.parse, 'The body is not UTF-8.');
  if (isTooDeep(text)) return refused(RPC_CODE.request, `The body is nested deeper than ${MAX_DEPTH}.`);
  const json = parsed(text);
  if (json === undefined) return refused(RPC_CODE.parse, 'The body is not JSON.');
  if (Array.isArray(json)) return refused(RPC_CODE.request, 'Batches are not supported: send one request.');
  if (json === null || typeof json !== 'object')
    return refused(RPC_CODE.request, 'The body is not an object.');
  const { jsonrpc, id, method, params } = json as Record<string, unknown>;
  const message = {
    jsonrpc,
    method,
    ...(id === undefined ? {} : { id }),
    ...(params === undefined ? {} : { params }),
  };
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message)) {
    return { ok: true, message: message as Message };
  }
  const echoed = typeof id === 'string' || typeof id === 'number' ? id : null;
  return refused(RPC_CODE.request, 'This is not a JSON-RPC 2.0 request with an id and a method.', echoed);
}

function refused(code: number, reason: string, id: RpcId = null): ReadMessage {
  return { ok: false, code, reason, id };
}

function textOf(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks the text in one pass, so a deep object is never built and no text takes long to check. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The end of the string that begins at `start`, or of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The id of a call as it is returned; null when none could be read. */
type RpcId = string | number | null;

/** JSON-RPC 2.0, section 5.1; `refused` is for refusals of HTTP, with the reason in the status. */
export const RPC_CODE = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  refused: -32000,
} as const;

/** A whole answer over HTTP; `text` is null without a body. */
export type Envelope = { readonly status: number; readonly text: string | null };

export function errorEnvelope(
  status: number,
  id: RpcId,
  error: { code: number; message: string; data?: unknown },
): Envelope {
  return { status, text: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}

/** The free part: the handshake, lists, prompts, resources, and messages refused before they are known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** The outcome of a protocol message: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;
