import { z } from 'zod';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { detailShape } from '../http/problem-shape.ts';
import { descriptionOf } from '../openapi/document.ts';
import { inputSchema, type JsonSchema, outputSchema } from '../openapi/json-schema.ts';
import { TOOL_ROWS } from './arguments.ts';
import { inSpelling, type Spelling } from './tool-name.ts';

const provenance = outputSchema(
  z.strictObject({
    source: z.literal('SEC EDGAR'),
    accession_numbers: z
      .array(z.string())
      .describe('Of every filing in the result, in its order; of a very large result only the first ones'),
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

const TEXT = {
  type: 'string',
  enum: ['json'],
  description: 'json: the whole answer as JSON in the text, in place of a summary',
};

const CUT = {
  truncated: { type: 'boolean', description: 'Only where rows were cut to keep the result small' },
  next: { type: 'object', description: 'Arguments that fetch the rest; absent where only REST has it' },
};

const failure = outputSchema(
  z.strictObject({
    error: z.string().describe('Code, as over REST'),
    message: z.string(),
    request_id: z.string(),
    docs_url: z.string(),
    details: z.array(detailShape).optional(),
  }),
);

/** The tools as clients see them, one for each endpoint, in their order; schemas are converted once. */
export const TOOLS = ENDPOINTS.map((endpoint) => ({
  name: endpoint.name,
  title: endpoint.title,
  description: descriptionOf(endpoint),
  inputSchema: argumentsSchema(endpoint),
  outputSchema: resultSchema(endpoint),
  annotations: { readOnlyHint: true },
}));

/** The same list with names that every host takes. */
const UNDERSCORED = TOOLS.map((tool) => ({ ...tool, name: inSpelling(tool.name, 'underscore') }));

export function toolsIn(spelling: Spelling): typeof TOOLS {
  return spelling === 'own' ? TOOLS : UNDERSCORED;
}

/** The parameters over REST, with fewer rows by default, and how the result is wanted as text. */
function argumentsSchema({ input }: Endpoint) {
  const schema = inputSchema(input);
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  const limit =
    properties['limit'] === undefined ? {} : { limit: { ...properties['limit'], default: TOOL_ROWS } };
  return {
    ...schema,
    type: 'object' as const,
    properties: { ...properties, ...limit, text: TEXT },
    additionalProperties: false,
  };
}

/**
 * The body of the REST answer with its provenance, or with `isError` the REST error. The schema has
 * both, because clients validate a failed result too. It is without descriptions, which are a third of it: clients
 * load it with every list and only validate by it. The OpenAPI document has them.
 */
function resultSchema({ output }: Endpoint) {
  const body = outputSchema(output);
  const required = Array.isArray(body['required']) ? body['required'] : [];
  return {
    type: 'object' as const,
    properties: undescribed({ ...(body['properties'] as JsonSchema), provenance, ...CUT }),
    anyOf: [{ required: [...required, 'provenance'] }, undescribed(failure)],
  };
}

/** A member named `description` is a schema and stays. */
function undescribed<T>(node: T): T {
  const text = JSON.stringify(node, (name, value) =>
    name === 'description' && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text) as T;
}
