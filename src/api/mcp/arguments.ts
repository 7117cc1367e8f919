import { PROTOCOL_VERSION_META_KEY, specTypeSchemas } from '@modelcontextprotocol/server';
import type { Endpoint, Outcome, ReadCall } from '../endpoint/endpoint.ts';
import { keysIn, shortened, withValues } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import type { Detail } from '../http/problem.ts';
import type { CallRequest } from '../metering/call.ts';
import type { Priced } from '../metering/idempotency.ts';
import type { Message } from './message.ts';

/** A tool call as read from its parameters. `endpoint` is null when they name no tool. */
type ReadTool = { readonly endpoint: Endpoint | null; readonly read: ReadCall };

/**
 * Reads `params` of a `tools/call` by the rules of the endpoint, so an argument is valid here if it is
 * valid over REST. Numbers are numbers and lists are lists. All problems are listed together.
 */
function readTool(params: Readonly<Record<string, unknown>> = {}): ReadTool {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') return unread({ param: 'name', reason: 'must be the name of a tool' });
  const endpoint = ENDPOINTS.find((one) => one.name === name);
  if (endpoint === undefined)
    return unread({ param: 'name', reason: 'unknown tool', value: shortened(name) });
  if (!isObject(given)) return unread({ param: 'arguments', reason: 'must be an object' });
  return { endpoint, read: readArguments(endpoint, given) };
}

/** As for a query: unknown arguments and those with a key are listed, and the others are checked too. */
function readArguments(endpoint: Endpoint, given: Readonly<Record<string, unknown>>): ReadCall {
  const query = asQuery(given);
  const keys = keysIn(query);
  const withKey = new Set(keys.map(({ param }) => param));
  const entries = Object.entries(given).filter(([name]) => !withKey.has(shortened(name)));
  const isKnown = (name: string): boolean => Object.hasOwn(endpoint.input.shape, name);
  const unknown = entries.filter(([name]) => !isKnown(name));
  const read = endpoint.read(Object.fromEntries(entries.filter(([name]) => isKnown(name))));
  if (read.ok && keys.length === 0 && unknown.length === 0) return read;
  const wrong = read.ok ? [] : read.details.filter(({ param }) => !withKey.has(param));
  const unknownDetails = unknown.map(([name, value]) => ({
    param: shortened(name),
    reason: 'unknown parameter',
    value: shortened(textOf(value)),
  }));
  return { ok: false, details: [...keys, ...unknownDetails, ...withValues(wrong, query)] };
}

/** The same arguments as a REST query: errors repeat its values, and keys are found in it. */
function asQuery(given: Readonly<Record<string, unknown>>): URLSearchParams {
  const texts = Object.entries(given).flatMap(([name, value]): [string, string][] => {
    if (Array.isArray(value)) return [[name, value.map(textOf).join(',')]];
    return [[name, textOf(value)]];
  });
  return new URLSearchParams(texts);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unread(detail: Detail): ReadTool {
  return { endpoint: null, read: { ok: false, details: [detail] } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The free part: the handshake, the list, and messages refused before they are known to be a call. */
export const PROTOCOL: Priced = { name: 'mcp', credits: 0 };

/** The outcome of a protocol message: the SDK answers it. */
export const NO_WORK = { kind: 'body', body: {} } as const satisfies Outcome<unknown>;

/** The call that a message requests. A notification is never answered, so it never calls a tool. */
export function requestedCall(message: Message | null): Pick<CallRequest, 'endpoint' | 'read'> {
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
