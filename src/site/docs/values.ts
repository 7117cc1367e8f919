import type { JsonSchema } from '../../api/openapi/json-schema.ts';

/** Which values a parameter or a field takes, in words: `integer, 1 to 100; 50 unless given`. */
export function valuesOf(schema: JsonSchema): string {
  const { type, default: fallback } = schema;
  const variants = variantsOf(schema);
  if (type === undefined && variants.length > 0) return [...new Set(variants.map(valuesOf))].join(' or ');
  const bounds = [boundsOf(schema['minimum'], schema['maximum']), atMost(schema['maxItems'])];
  const said = [kindOf(schema), ...bounds].filter((part) => part !== null).join(', ');
  return fallback === undefined ? said : `${said}; ${fallback} unless given`;
}

/** The schemas of which a value has one. */
export function variantsOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  return [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
}

function kindOf({ type, format, items, ...schema }: JsonSchema): string {
  if ('const' in schema) return String(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(String).join(', ');
  const types = [type].flat().map((name) => {
    if (name === 'array') return listOf(items as JsonSchema);
    return name === 'string' && format !== undefined ? format : name;
  });
  return types.join(' or ');
}

/** Objects of a list have rows of their own. */
function listOf(items: JsonSchema): string {
  const of = valuesOf(items);
  return of === 'object' ? 'list' : `list of ${of}`;
}

function boundsOf(minimum: unknown, maximum: unknown): string | null {
  if (typeof minimum !== 'number') return null;
  return typeof maximum === 'number' ? `${minimum} to ${maximum}` : `at least ${minimum}`;
}

function atMost(items: unknown): string | null {
  return typeof items === 'number' ? `at most ${items}` : null;
}
