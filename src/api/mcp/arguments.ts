import type { Endpoint, ReadCall } from '../endpoint/endpoint.ts';
import { keysIn, shortened, withValues } from '../endpoint/text-input.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import type { Detail } from '../http/problem.ts';

/** A tool call as its parameters say it. `endpoint` is null when they name no tool. */
export type ReadTool = { readonly endpoint: Endpoint | null; readonly read: ReadCall };

/**
 * Reads `params` of a `tools/call` by the endpoint's own rules, so that an argument is right here when
 * it is right over REST; numbers are numbers and lists are lists. All that is wrong is listed together.
 */
export function readTool(params: Readonly<Record<string, unknown>> = {}): ReadTool {
  const { name, arguments: given = {} } = params;
  if (typeof name !== 'string') return unread({ param: 'name', reason: 'must be the name of a tool' });
  const endpoint = ENDPOINTS.find((one) => one.name === name);
  if (endpoint === undefined)
    return unread({ param: 'name', reason: 'unknown tool', value: shortened(name) });
  if (!isObject(given)) return unread({ param: 'arguments', reason: 'must be an object' });
  return { endpoint, read: readArguments(endpoint, given) };
}

/** As with a query: what is unknown or carries a key is listed, and the rest is judged all the same. */
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
  const strange = unknown.map(([name, value]) => ({
    param: shortened(name),
    reason: 'unknown parameter',
    value: shortened(textOf(value)),
  }));
  return { ok: false, details: [...keys, ...strange, ...withValues(wrong, query)] };
}

/** What REST would be sent: errors repeat it, and a key in it is one. */
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
