import { PROTOCOL_VERSION_META_KEY, specTypeSchemas } from '@modelcontextprotocol/server';
import type { Outcome } from '../endpoint/endpoint.ts';
import type { Detail } from '../http/problem.ts';
import type { CallRequest } from '../metering/call.ts';
import type { Priced } from '../metering/idempotency.ts';
import { readTool } from './arguments.ts';
import type { Message } from './message.ts';

/** The free part: the handshake, the list, and messages refused before they are known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** The outcome of a protocol message: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;

type RequestedCall = Pick<CallRequest, 'endpoint' | 'read'>;

/** The call that a message requests. A notification is never answered, so it never calls a tool. */
export function requestedCall(message: Message | null): RequestedCall {
  if (message?.method === 'tools/call' && message.id !== undefined) {
    const { endpoint, read } = readTool(message.params);
    return { endpoint: endpoint ?? PROTOCOL, read };
  }
  const details = message === null ? [] : wrongIn(message);
  if (details.length > 0) return { endpoint: PROTOCOL, read: { ok: false, details } };
  return { endpoint: PROTOCOL, read: { ok: true, input: null, run: async () => NO_WORK } };
}

/** For parameters that it cannot read, the SDK returns an internal error; the error is the client's. */
function wrongIn({ method, params = {} }: Message): readonly Detail[] {
  const schema = SCHEMAS.get(method);
  const meta = params['_meta'] ?? {};
  // The envelope of 2026-07-28 has no handshake. The SDK reports that.
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
