import { PROTOCOL_VERSION_META_KEY, specTypeSchemas } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Endpoint, ReadCall } from '../endpoint/endpoint.ts';
import { innermost, phraseOfUnknown } from '../endpoint/phrases.ts';
import { keysIn, shortened, valueFor, withValues } from '../endpoint/text-input.ts';
import { EVENT_ROWS } from '../endpoints/event-shape.ts';
import type { Detail } from '../http/problem.ts';
import type { CallRequest } from '../metering/call.ts';
import { type Message, NO_WORK, PROTOCOL } from './message.ts';
import { resourceCall } from './resource.ts';
import { phraseOfUnknownTool, toolNamed } from './tool-name.ts';

/** Rows of a list, not a stream, that does not say how many: an agent pays for each of them with its context. */
export const TOOL_ROWS = 10;

/** How the result of a tool is wanted. */
export type Wanted = {
  /** The valid arguments, with defaults. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The whole JSON as text too, in place of a summary. */
  readonly isJson: boolean;
  /** More was asked for than by default. */
  readonly isLarge: boolean;
};

/** A tool call as read from its parameters; `endpoint` is null when they name no tool. */
type ReadTool = {
  readonly endpoint: Endpoint | null;
  readonly read: ReadCall;
  readonly wanted: Wanted;
  /** The argument `idempotency_key` as it was sent. */
  readonly key?: unknown;
};

type Given = Readonly<Record<string, unknown>>;

const NOTHING_WANTED: Wanted = { input: {}, isJson: false, isLarge: false };

/**
 * Reads `params` of a `tools/call` by the rules of the endpoint, so an argument is valid here if it is
 * valid over REST. All problems are listed together.
 */
function readTool(params: Given = {}): ReadTool {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') return unread({ param: 'name', reason: 'must be the name of a tool' });
  const endpoint = toolNamed(name);
  if (endpoint === null)
    return unread({ param: 'name', reason: phraseOfUnknownTool(name), value: shortened(name) });
  if (!isObject(given)) return unread({ param: 'arguments', reason: 'must be an object' });
  const { text, idempotency_key: key, ...rest } = given;
  const args = withToolDefaults(endpoint, asSchemaExpects(endpoint, rest));
  const read = withTextRule(text, readArguments(endpoint, args));
  const isLarge = text === 'json' || Number(args['limit']) > rowsOf(endpoint);
  const input = read.ok && isObject(read.input) ? read.input : {};
  return { endpoint, read, wanted: { input, isJson: text === 'json', isLarge }, key };
}

/** Models send numbers as digits in a text, cursors and ids as numbers, and flags as such. */
function asSchemaExpects({ input }: Endpoint, given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, coerced(input.shape[name], value)]),
  );
}

function coerced(schema: unknown, value: unknown): unknown {
  const base = innermost(schema);
  if (typeof value === 'string') return base instanceof z.ZodNumber ? valueFor(schema, value) : value;
  const isText = base instanceof z.ZodString || base instanceof z.ZodEnum;
  // A model's `false` for a text would be the word: the brief of the ticker FALSE.
  const isFlag =
    base instanceof z.ZodEnum && base.options.every((option) => /^(true|false)$/.test(String(option)));
  if (typeof value === 'boolean') return isFlag ? String(value) : value;
  const isPlain = Number.isSafeInteger(value) && Number(value) >= 0;
  return isText && isPlain ? String(value) : value;
}

function withToolDefaults(endpoint: Endpoint, given: Given): Given {
  const isList = Object.hasOwn(endpoint.query, 'limit');
  return isList && given['limit'] === undefined ? { ...given, limit: rowsOf(endpoint) } : given;
}

/** A stream has as many as over REST: its reader wants every event. */
export function rowsOf({ query }: Pick<Endpoint, 'query'>): number {
  return Object.hasOwn(query, 'wait') ? EVENT_ROWS : TOOL_ROWS;
}

/** `text` and `idempotency_key` belong to the tool alone; REST does not know them. */
function withTextRule(text: unknown, read: ReadCall): ReadCall {
  if (text === undefined || text === 'json') return read;
  const wrong = { param: 'text', reason: 'must be json', value: shortened(textOf(text)) };
  return { ok: false, details: [wrong, ...(read.ok ? [] : read.details)] };
}

/** As for a query: unknown arguments and those with a key are listed, and the others are checked too. */
function readArguments(endpoint: Endpoint, given: Given): ReadCall {
  const query = asQuery(given);
  const keys = keysIn(query);
  const withKey = new Set(keys.map(({ param }) => param));
  const entries = Object.entries(given).filter(([name]) => !withKey.has(shortened(name)));
  const known = Object.keys(endpoint.input.shape);
  const unknown = entries.filter(([name]) => !known.includes(name));
  const read = endpoint.read(Object.fromEntries(entries.filter(([name]) => known.includes(name))));
  if (read.ok && keys.length === 0 && unknown.length === 0) return read;
  const wrong = read.ok ? [] : read.details.filter(({ param }) => !withKey.has(param));
  const unknownDetails = unknown.map(([name, value]) => ({
    param: shortened(name),
    reason: phraseOfUnknown(name, [...known, 'text', 'idempotency_key']),
    value: shortened(textOf(value)),
  }));
  return { ok: false, details: [...keys, ...unknownDetails, ...withValues(wrong, query)] };
}

/** The same arguments as a REST query: errors repeat its values, and keys are found in it. */
function asQuery(given: Given): URLSearchParams {
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
  return { endpoint: null, read: { ok: false, details: [detail] }, wanted: NOTHING_WANTED };
}

function isObject(value: unknown): value is Given {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** What a message requests; `tool` is null for one that calls none. */
export type Requested = Pick<CallRequest, 'endpoint' | 'read'> & {
  readonly tool: (Pick<ReadTool, 'wanted' | 'key'> & { readonly endpoint: Endpoint }) | null;
};

/** The call that a message requests. A notification is never answered, so it never calls a tool. */
export function requestedCall(message: Message | null): Requested {
  if (message?.method === 'tools/call' && message.id !== undefined) {
    const { endpoint, read, wanted, key } = readTool(message.params);
    return {
      endpoint: endpoint ?? PROTOCOL,
      read,
      tool: endpoint === null ? null : { endpoint, wanted, key },
    };
  }
  if (message?.method === 'resources/read' && message.id !== undefined) {
    return { ...resourceCall(message.params), tool: null };
  }
  const details = message === null ? [] : wrongIn(message);
  if (details.length > 0) return { endpoint: PROTOCOL, read: { ok: false, details }, tool: null };
  return { endpoint: PROTOCOL, read: { ok: true, input: null, run: async () => NO_WORK }, tool: null };
}

/** For parameters that it cannot read, the SDK returns an internal error; the error is the client's. */
function wrongIn({ method, params = {} }: Message): readonly Detail[] {
  const schema = SCHEMAS.get(method);
  const meta = params['_meta'] ?? {};
  // The envelope of 2026-07-28 has no handshake. The SDK reports that.
  if (schema === undefined || Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY)) return [];
  const judged = schema['~standard'].validate(params);
  return (judged.issues ?? []).map(({ path = [], message }) => ({
    param: shortened(path.map(String).join('.')),
    reason: `is not valid: ${message}`,
  }));
}

const SCHEMAS = new Map<
  string,
  (typeof specTypeSchemas)['InitializeRequestParams' | 'PaginatedRequestParams']
>([
  ['initialize', specTypeSchemas.InitializeRequestParams],
  ['tools/list', specTypeSchemas.PaginatedRequestParams],
]);
