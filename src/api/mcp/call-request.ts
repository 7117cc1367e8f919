import { PROTOCOL_VERSION_META_KEY, specTypeSchemas } from '@modelcontextprotocol/server';
import type { Outcome, ReadCall } from '../endpoint/endpoint.ts';
import type { Detail } from '../http/problem.ts';
import type { Priced } from '../metering/idempotency.ts';
import { readTool } from './arguments.ts';
import type { Message } from './message.ts';

/** What is free: the handshake, the list, and what is refused before it is known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** What a message of the protocol itself works out to: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;

export type RequestedCall = { readonly endpoint: Priced; readonly read: ReadCall };

/** A notification is never answered, so it never is a call of a tool. */
export function requestedCall(message: Message | null): RequestedCall {
  if (message?.method === 'tools/call' && message.id !== undefined) {
    const { endpoint, read } = readTool(message.params);
    return { endpoint: endpoint ?? PROTOCOL, read };
  }
  const details = message === null ? [] : wrongIn(message);
  if (details.length > 0) return { endpoint: PROTOCOL, read: { ok: false, details } };
  return { endpoint: PROTOCOL, read: { ok: true, input: null, run: async () => NO_WORK } };
}

/** The SDK answers parameters that it cannot read as an internal error; they are the client's. */
function wrongIn({ method, params = {} }: Message): readonly Detail[] {
  const schema = SCHEMAS.get(method);
  const meta = params['_meta'] ?? {};
  // With the envelope of 2026-07-28 there is no handshake, which the SDK says.
  if (schema === undefined || Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY)) return [];
  const judged = schema['~standard'].validate(params);
  return (judged.issues ?? []).map(({ path = [], message }) => ({
    param: path.map(String).join('.'),
    reason: message,
  }));
}

const SCHEMAS = new Map<
  string,
  (typeof specTypeSchemas)['InitializeRequestParams' | 'PaginatedRequestParams']
>([
  ['initialize', specTypeSchemas.InitializeRequestParams],
  ['tools/list', specTypeSchemas.PaginatedRequestParams],
]);
