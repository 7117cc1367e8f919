import { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { detailShape } from '../http/problem-shape.ts';
import { inputSchema, type JsonSchema, outputSchema } from '../openapi/json-schema.ts';

/** A tool as clients list it. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly outputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: { readonly readOnlyHint: true };
};

const provenance = outputSchema(
  z.strictObject({
    source: z.literal('SEC EDGAR'),
    accession_numbers: z.array(z.string()).describe('Of every filing that the result names, in its order'),
    retrieved_at: z
      .string()
      .nullable()
      .describe('When the latest of them was fetched, where the result says so'),
    parser_version: z
      .string()
      .nullable()
      .describe('Of every parser that read them, where the result says so'),
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

/** The tools, one for each endpoint, in their order; schemas are converted once. */
export const TOOLS: readonly Tool[] = ENDPOINTS.map((endpoint) => ({
  name: endpoint.name,
  title: endpoint.title,
  description: `${endpoint.summary}.\n\n${endpoint.description}\n\n${priceOf(endpoint)}`,
  inputSchema: { ...inputSchema(endpoint.input), type: 'object', additionalProperties: false },
  outputSchema: resultSchema(endpoint),
  annotations: { readOnlyHint: true },
}));

/**
 * The body of the REST answer and where it comes from, or with `isError` the REST error. Both are in
 * the schema, because clients hold a failed result against it, too.
 */
function resultSchema({ output }: Endpoint): Tool['outputSchema'] {
  const body = outputSchema(output);
  const required = Array.isArray(body['required']) ? body['required'] : [];
  return {
    type: 'object',
    properties: { ...(body['properties'] as JsonSchema), provenance },
    anyOf: [{ required: [...required, 'provenance'] }, failure],
  };
}

function priceOf({ credits }: Endpoint): string {
  if (credits === 0) return 'Free.';
  return `Costs ${credits} ${credits === 1 ? 'credit' : 'credits'}, only when it answers.`;
}
