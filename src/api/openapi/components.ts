import type { z } from 'zod';
import { claimShape, evidenceShape } from '../../domain/wire/brief.ts';
import { changeShape } from '../../domain/wire/brief-legs.ts';
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
