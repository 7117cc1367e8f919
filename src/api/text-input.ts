import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import type { Detail } from './problem.ts';

/** The parameters of a URL as the values that the endpoint's schema expects. */
export type TextInput = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly details: readonly Detail[];
};

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;
const LOOKS_LIKE_KEY = /tm_(live|test)_/;
const MAX_SHOWN = 64;

/**
 * Reads path and query text by the schema: whole numbers become numbers, comma-separated lists
 * arrays, anything else stays text for the schema to judge. A repeated parameter and a key in the
 * URL are problems of the text itself (contract 1).
 */
export function valuesFromText(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): TextInput {
  const details: Detail[] = [];
  const values = new Map<string, unknown>(Object.entries(params));
  for (const name of new Set(query.keys())) {
    const texts = query.getAll(name);
    const [text = ''] = texts;
    if (texts.some((one) => LOOKS_LIKE_KEY.test(one)) || LOOKS_LIKE_KEY.test(name)) {
      details.push({ param: shortened(name), reason: 'an API key belongs in the Authorization header only' });
    } else if (texts.length > 1) {
      details.push({ param: shortened(name), reason: 'given more than once' });
    } else if (!Object.hasOwn(endpoint.query, name)) {
      details.push({ param: shortened(name), reason: 'unknown parameter', value: shortened(text) });
    } else {
      values.set(name, valueFor(endpoint.query[name], text));
    }
  }
  return { values: Object.fromEntries(values), details };
}

/** Adds what was given to problems that the schema found. */
export function withValues(details: readonly Detail[], query: URLSearchParams): Detail[] {
  return details.map((detail) => {
    const given = query.get(detail.param);
    return given === null || detail.value !== undefined || LOOKS_LIKE_KEY.test(given)
      ? detail
      : { ...detail, value: shortened(given) };
  });
}

function valueFor(schema: unknown, text: string): unknown {
  const base = innermost(schema);
  if (base instanceof z.ZodNumber) return INTEGER.test(text) ? Number(text) : text;
  if (base instanceof z.ZodArray) return text.split(',');
  return text;
}

function innermost(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return innermost(schema.unwrap());
  if (schema instanceof z.ZodPipe) return innermost(schema.in);
  return schema;
}

function shortened(text: string): string {
  const masked = LOOKS_LIKE_KEY.test(text) ? '(a key)' : text;
  return masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked;
}
