import type { z } from 'zod';
import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { inputSchema, type JsonSchema } from '../../api/openapi/json-schema.ts';
import { type Html, html } from '../html.ts';
import { inline } from './prose.ts';

/** The parameters of an endpoint: the name and its place, which values it takes, what it does. */
export function parameterRows({ params, query }: Endpoint): readonly (readonly Html[])[] {
  return [...rowsOf('in the path', params), ...rowsOf('in the query', query)];
}

function rowsOf(place: string, shape: z.ZodRawShape): (readonly Html[])[] {
  return Object.entries(shape).map(([name, type]) => {
    const schema = inputSchema(type as z.ZodType);
    const isRequired = !(type as z.ZodType).safeParse(undefined).success;
    const needed = isRequired ? html`, <strong>required</strong>` : null;
    return [
      html`<code>${name}</code><span class="below">${place}${needed}</span>`,
      html`${valuesOf(schema)}`,
      inline(String(schema['description'] ?? '')),
    ];
  });
}

/** In words: `integer, 1 to 100; 50 unless given`. */
function valuesOf(schema: JsonSchema): string {
  const { type, format, default: fallback } = schema;
  const values = schema['enum'];
  const kind = Array.isArray(values) ? values.join(', ') : `${format ?? (type === 'array' ? 'list' : type)}`;
  const bounds = [boundsOf(schema['minimum'], schema['maximum']), atMost(schema['maxItems'])];
  const said = [kind, ...bounds].filter((part) => part !== null).join(', ');
  return fallback === undefined ? said : `${said}; ${fallback} unless given`;
}

function boundsOf(minimum: unknown, maximum: unknown): string | null {
  if (typeof minimum !== 'number') return null;
  return typeof maximum === 'number' ? `${minimum} to ${maximum}` : `at least ${minimum}`;
}

function atMost(items: unknown): string | null {
  return typeof items === 'number' ? `at most ${items}` : null;
}
