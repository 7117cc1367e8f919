import { z } from 'zod';
import { claimShape, evidenceShape } from '../../domain/wire/brief.ts';
import { changeShape } from '../../domain/wire/brief-legs.ts';
import { publishedAt, quality } from '../../domain/wire/brief-values.ts';
import { reportingOwnerShape, transactionShape } from '../../domain/wire/transaction.ts';
import { paginationShape } from '../endpoint/page.ts';
import { qualityShape } from '../endpoint/param.ts';
import { ERRORS, type ErrorCode } from '../http/problem.ts';

const detailShape = z.strictObject({
  param: z.string().describe('Parameter or header'),
  reason: z.string(),
  value: z.string().optional().describe('The given value, shortened'),
});

/** What some codes carry at top level next to the envelope. */
const EXTRA: Partial<Record<ErrorCode, z.ZodRawShape>> = {
  insufficient_credits: {
    needed: z.int().describe('Price of the call in credits'),
    balance: z.int().describe('Remaining credits'),
    topup_url: z.url(),
    support_contact: z.string().optional().describe('Whom to ask, where the operator says so'),
  },
  holdings_reported_elsewhere: {
    managers: z
      .array(
        z.strictObject({
          name: z.string(),
          cik: z.string().nullable(),
          form13f_file_number: z.string().nullable(),
        }),
      )
      .describe('The managers that report the holdings'),
  },
};

/** The body of an error answer with one of these codes (rule 11.1). */
export function problemShape(codes: readonly ErrorCode[]): z.ZodType {
  const plain = codes.filter((code) => EXTRA[code] === undefined);
  const shapes = [
    ...(plain.length > 0 ? [envelope(plain, {})] : []),
    ...codes.flatMap((code) => (EXTRA[code] === undefined ? [] : [envelope([code], EXTRA[code])])),
  ];
  const [first, ...others] = shapes;
  if (first === undefined) throw new RangeError('an error answer needs a code');
  return others.length === 0 ? first : z.union(shapes);
}

function envelope(codes: readonly ErrorCode[], extra: z.ZodRawShape): z.ZodType {
  return z.strictObject({
    error: z.enum(codes),
    message: z.string().describe('A sentence for people'),
    request_id: z.string().describe('As in X-Request-Id'),
    docs_url: z.url().describe('Explains the code; no key needed'),
    details: z.array(detailShape).optional().describe('Every problem of the request'),
    ...extra,
  });
}

/** The codes of a list by their status, in the order of statuses. */
export function codesByStatus(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b);
  return new Map(statuses.map((status) => [status, codes.filter((code) => ERRORS[code].status === status)]));
}

/** Shapes that several answers share, by their names in the document. */
const SHARED: Readonly<Record<string, z.ZodType>> = {
  Pagination: paginationShape,
  Quality: qualityShape,
  ObservationQuality: quality,
  PublishedAt: publishedAt,
  InsiderOwner: reportingOwnerShape,
  InsiderTransaction: transactionShape,
  InstitutionalChange: changeShape,
  Evidence: evidenceShape,
  Claim: claimShape,
  ErrorDetail: detailShape,
};

export type Components = ReturnType<typeof openComponents>;

/**
 * Named schemas, and a function that replaces copies of them by references. `schemas` has only what
 * `refer` found, so nothing unused is published.
 */
export function openComponents() {
  const shapes = Object.entries(SHARED).map(([name, shape]) => ({ name, schema: outputSchema(shape) }));
  const nameOf = new Map(shapes.map(({ name, schema }) => [fingerprint(schema), name]));
  const schemas: Record<string, unknown> = {};
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (node === null || typeof node !== 'object') return node;
    const within = () => Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const name = nameOf.get(fingerprint(node as JsonSchema));
    if (name === undefined) return within();
    schemas[name] ??= within();
    return { $ref: `#/components/schemas/${name}` };
  };
  return { schemas, refer: (schema: JsonSchema) => visit(schema) as JsonSchema };
}

/** The content of a schema without its description, which differs from place to place. */
function fingerprint({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}

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
