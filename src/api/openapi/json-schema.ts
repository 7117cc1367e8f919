import { z } from 'zod';

/** A JSON Schema 2020-12, as used by OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What the server writes. Clients must expect new members, so objects allow them. */
export const outputSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'output');

/** What a client may send, before any transformation. */
export const inputSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'input');

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return foldNull(rest) as JsonSchema;
}

/**
 * Removes what zod adds: the bounds of safe integers, `additionalProperties: false`, and the long pattern
 * of a named format.
 */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.format !== undefined) delete schema.pattern;
}

/**
 * Writes `anyOf [X, null]` of one plain type as a list of types, which readers and generators show
 * better. For two forms of one type, the type is repeated outside.
 */
function foldNull(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(foldNull);
  if (node === null || typeof node !== 'object') return node;
  const folded = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, foldNull(value)]));
  const { anyOf, ...around } = folded;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return folded;
  const [plain, nothing] = anyOf as [JsonSchema, JsonSchema];
  if (plain['type'] === nothing['type'] && typeof plain['type'] === 'string') {
    return { ...folded, type: plain['type'] };
  }
  if (nothing['type'] !== 'null' || typeof plain['type'] !== 'string') return folded;
  const values = Array.isArray(plain['enum']) ? { enum: [...plain['enum'], null] } : {};
  return { ...plain, ...values, ...around, type: [plain['type'], 'null'] };
}
