import type { z } from 'zod';
import { changeShape } from '../../domain/wire/brief-legs.ts';
import { claimShape, evidenceShape } from '../../domain/wire/brief-proof.ts';
import { publishedAt, quality } from '../../domain/wire/brief-values.ts';
import { reportingOwnerShape, transactionShape } from '../../domain/wire/transaction.ts';
import { paginationShape } from '../endpoint/page.ts';
import { qualityShape } from '../endpoint/param.ts';
import { detailShape } from '../http/problem-shape.ts';
import { type JsonSchema, outputSchema } from './json-schema.ts';

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

/** Named schemas, and a function that replaces copies of them by references. */
export type Components = {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The same schema with each shared shape in it replaced by a reference. */
  readonly refer: (schema: JsonSchema) => JsonSchema;
};

/** `schemas` has only what `refer` found, so nothing unused is published. */
export function openComponents(): Components {
  const shapes = Object.entries(SHARED).map(([name, shape]) => ({ name, schema: outputSchema(shape) }));
  const nameOf = new Map(shapes.map(({ name, schema }) => [fingerprint(schema), name]));
  const schemas: Record<string, JsonSchema> = {};
  const within = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (node === null || typeof node !== 'object') return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
  };
  const visit = (node: unknown): unknown => {
    const name = isObject(node) ? nameOf.get(fingerprint(node)) : undefined;
    if (name === undefined) return within(node);
    schemas[name] ??= within(node) as JsonSchema;
    return { $ref: `#/components/schemas/${name}` };
  };
  return { schemas, refer: (schema) => visit(schema) as JsonSchema };
}

function isObject(node: unknown): node is JsonSchema {
  return node !== null && typeof node === 'object' && !Array.isArray(node);
}

/** The content of a schema without its description, which differs from place to place. */
function fingerprint({ description: _, ...schema }: JsonSchema): string {
  return JSON.stringify(schema);
}
