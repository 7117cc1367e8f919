import { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { detailShape } from '../http/problem-shape.ts';
import { descriptionOf } from '../openapi/document.ts';
import { inputSchema, type JsonSchema, outputSchema } from '../openapi/json-schema.ts';

const provenance = outputSchema(
  z.strictObject({
    source: z.literal('SEC EDGAR'),
    accession_numbers: z.array(z.string()).describe('Of every filing in the result, in its order'),
    retrieved_at: z
      .string()
      .nullable()
      .describe('When the latest of them was fetched; null when the result has no such time'),
    parser_version: z
      .string()
      .nullable()
      .describe('Of every parser that read them; null when the result names none'),
  }),
);

const failure = outputSchema(
  z.strictObject({
    error: z.string().describe('Code, as over REST'),
    message: z.string(),
    request_id: z.string(),
    details: z.array(detailShape).optional(),
  }),
);

/** The tools as clients see them, one for each endpoint, in their order; schemas are converted once. */
export const TOOLS = ENDPOINTS.map((endpoint) => ({
  name: endpoint.name,
  title: endpoint.title,
  description: descriptionOf(endpoint),
  inputSchema: { ...inputSchema(endpoint.input), type: 'object' as const, additionalProperties: false },
  outputSchema: resultSchema(endpoint),
  annotations: { readOnlyHint: true },
}));

/**
 * The body of the REST answer with its provenance, or with `isError` the REST error. The schema has
 * both, because clients validate a failed result too.
 */
function resultSchema({ output }: Endpoint) {
  const body = outputSchema(output);
  const required = Array.isArray(body['required']) ? body['required'] : [];
  return {
    type: 'object' as const,
    properties: { ...(body['properties'] as JsonSchema), provenance },
    anyOf: [{ required: [...required, 'provenance'] }, failure],
  };
}
