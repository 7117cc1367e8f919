import type { z } from 'zod';
import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { inputSchema } from '../../api/openapi/json-schema.ts';
import { type Html, html } from '../html.ts';
import { inline } from './prose.ts';
import { valuesOf } from './values.ts';

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
