import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { type JsonSchema, outputSchema } from '../../api/openapi/json-schema.ts';
import { type Html, html } from '../html.ts';
import { inline } from './prose.ts';
import { valuesOf, variantsOf } from './values.ts';

type Field = { readonly values: ReadonlySet<string>; readonly isOptional: boolean; readonly about: string };

/** Every field of an answer: its path, which values it takes, what it says. */
export function fieldRows({ output }: Pick<Endpoint, 'output'>): readonly (readonly Html[])[] {
  const fields = new Map<string, Field>();
  collect(outputSchema(output), '', fields);
  return [...fields].map(([path, { values, isOptional, about }]) => [
    html`<code>${path}</code>${isOptional ? html`<span class="below">may be absent</span>` : null}`,
    html`${[...values].join(' or ')}`,
    inline(about),
  ]);
}

/** Adds what is below a value at a path: `data.events[].seq`. Variants of one object share their fields. */
function collect(schema: JsonSchema, path: string, fields: Map<string, Field>): void {
  for (const variant of variantsOf(schema)) collect(variant, path, fields);
  if (isSchema(schema['items'])) collect(schema['items'], `${path}[]`, fields);
  if (isSchema(schema['additionalProperties'])) collect(schema['additionalProperties'], `${path}.*`, fields);
  if (!isSchema(schema['properties'])) return;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, field] of Object.entries(schema['properties'])) {
    if (!isSchema(field)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const known = fields.get(at);
    fields.set(at, {
      values: new Set([...(known?.values ?? []), valuesOf(field)]),
      isOptional: known?.isOptional === true || !required.includes(name),
      about: known?.about || String(field['description'] ?? ''),
    });
    collect(field, at, fields);
  }
}

function isSchema(node: unknown): node is JsonSchema {
  return typeof node === 'object' && node !== null;
}
