import { z } from 'zod';
import { groupBy } from '../../domain/group.ts';
import { type Detail, invalid, type Problem } from '../http/problem.ts';
import type { Endpoint } from './endpoint.ts';
import { innermost, phraseOfUnknown } from './phrases.ts';

/** The parameters of a URL as the values that the endpoint's schema expects. */
type TextInput = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly details: readonly Detail[];
};

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;
/** In any case and encoding: a text that resembles a key is not repeated in an error either. */
const LOOKS_LIKE_KEY = /tm(_|%(25)*5f)(live|test)(_|%(25)*5f)/i;
const MAX_SHOWN = 64;
const KEY_REASON =
  'must go: an API key belongs in the Authorization header only; replace this key, because URLs are logged';

/**
 * Reads path and query text by the schema: whole numbers become numbers and comma-separated lists become
 * arrays. The schema checks everything else. A repeated parameter that is no list and a key in the URL are
 * problems of the text itself (rule 11.3).
 */
export function valuesFromText(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): TextInput {
  const details: Detail[] = [];
  const values = new Map<string, unknown>(Object.entries(params));
  for (const [name, texts] of textsByName(query)) {
    const [text = ''] = texts;
    const schema = endpoint.query[name];
    if (holdsKey(name, texts)) {
      details.push(keyDetail(name));
    } else if (texts.length > 1 && !(innermost(schema) instanceof z.ZodArray)) {
      details.push({ param: shortened(name), reason: 'is given more than once' });
    } else if (!Object.hasOwn(endpoint.query, name)) {
      const reason = phraseOfUnknown(name, Object.keys(endpoint.query));
      details.push({ param: shortened(name), reason, value: shortened(text) });
    } else {
      values.set(name, valueFor(schema, texts.join(',')));
    }
  }
  return { values: Object.fromEntries(values), details };
}

/** The parameters that carry a key. */
export function keysIn(query: URLSearchParams): Detail[] {
  const carrying = [...textsByName(query)].filter(([name, texts]) => holdsKey(name, texts));
  return carrying.map(([name]) => keyDetail(name));
}

/** The values of each name. `getAll` reads the whole query for each of thousands of names. */
function textsByName(query: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const grouped = groupBy([...query], ([name]) => name);
  return new Map([...grouped].map(([name, pairs]) => [name, pairs.map(([, text]) => text)]));
}

/** The problem of a URL that carries a key, for routes without parameters of their own; else null. */
export function keyInUrl(url: string): Problem | null {
  const details = keysIn(new URLSearchParams(queryOf(url)));
  return details.length === 0 ? null : invalid(details);
}

/** The part of a URL after its question mark. */
export function queryOf(url: string): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
}

function holdsKey(name: string, texts: readonly string[]): boolean {
  return LOOKS_LIKE_KEY.test(name) || texts.some((text) => LOOKS_LIKE_KEY.test(text));
}

function keyDetail(name: string): Detail {
  return { param: shortened(name), reason: KEY_REASON };
}

/** Adds the given values to the problems that the schema found. */
export function withValues(details: readonly Detail[], query: URLSearchParams): Detail[] {
  const byName = textsByName(query);
  return details.map((detail) => {
    const given = byName.get(detail.param)?.[0];
    return given === undefined || detail.value !== undefined || LOOKS_LIKE_KEY.test(given)
      ? detail
      : { ...detail, value: shortened(given) };
  });
}

export function valueFor(schema: unknown, text: string): unknown {
  const base = innermost(schema);
  if (base instanceof z.ZodNumber) return INTEGER.test(text) ? Number(text) : text;
  if (base instanceof z.ZodArray) return text.split(',');
  return text;
}

/** A given value as an error repeats it: shortened, and never a key. */
export function shortened(text: string): string {
  const masked = LOOKS_LIKE_KEY.test(text) ? '(a key)' : text;
  return masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked;
}
