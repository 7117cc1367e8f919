import type { Endpoint } from '../endpoint/endpoint.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { inputSchema, type JsonSchema, outputSchema } from '../openapi/components.ts';
import { priceOf } from '../openapi/document.ts';
import { rowsOf } from './arguments.ts';
import { inSpelling, type Spelling } from './tool-name.ts';

/** With every list it is in the context of an agent, sixteen times: short. */
const TEXT = { type: 'string', enum: ['json'], description: 'The whole answer as text' };

const KEY = {
  type: 'string',
  maxLength: 255,
  description: 'Repeat the same value when you repeat the call: it is charged once',
};

const TEXT_TYPE = { type: 'string' };

/** Of every result: what its provenance names, what only a result has that was cut, and what a failed one has. */
const AROUND = {
  provenance: {
    type: 'object',
    required: ['source', 'accession_numbers', 'retrieved_at', 'parser_version'],
  },
  truncated: { type: 'boolean' },
  next: { type: 'object' },
  error: TEXT_TYPE,
  message: TEXT_TYPE,
  request_id: TEXT_TYPE,
};

/** Deeper levels of `data` would be four fifths of the list. The OpenAPI document has them, described. */
const LEVELS = 1;

/** The endpoints with the schemas of their tools, converted once for both lists: it is a good part of a start. */
const CONVERTED = ENDPOINTS.map((endpoint) => ({
  endpoint,
  schemas: { inputSchema: argumentsSchema(endpoint), outputSchema: resultSchema(endpoint) },
}));

/** The tools as clients see them, one for each endpoint, in their order. */
export const TOOLS = toolsSpelt('own');

/** The same list with names that every host takes. */
const UNDERSCORED = toolsSpelt('underscore');

export function toolsIn(spelling: Spelling): typeof TOOLS {
  return spelling === 'own' ? TOOLS : UNDERSCORED;
}

function toolsSpelt(spelling: Spelling) {
  return CONVERTED.map(({ endpoint, schemas }) => ({
    name: inSpelling(endpoint.name, spelling),
    title: endpoint.title,
    description: descriptionOf(endpoint, spelling),
    ...schemas,
    annotations: { readOnlyHint: true },
  }));
}

/** What the tool does and costs. An address over REST is named as the tool that answers the same. */
function descriptionOf(endpoint: Endpoint, spelling: Spelling): string {
  const text = `${endpoint.summary}.\n\n${endpoint.description}\n\n${priceOf(endpoint)}`;
  return ENDPOINTS.reduce(
    (said, { path, name }) => said.replaceAll(`\`${path}\``, `\`${inSpelling(name, spelling)}\``),
    text,
  );
}

/**
 * The parameters over REST, with fewer rows of a list by default, how the result is wanted as text, and a key. Without
 * patterns: descriptions say the same in words, and a wrong argument is answered with a sentence.
 */
function argumentsSchema(endpoint: Endpoint) {
  const schema = inputSchema(endpoint.input);
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  const limit =
    properties['limit'] === undefined ? {} : { limit: { ...properties['limit'], default: rowsOf(endpoint) } };
  return {
    ...schema,
    type: 'object' as const,
    properties: { ...withoutPatterns({ ...properties, ...limit }), text: TEXT, idempotency_key: KEY },
    additionalProperties: false,
  };
}

function withoutPatterns(properties: Readonly<Record<string, JsonSchema>>) {
  const text = JSON.stringify(properties, (name, value) => (name === 'pattern' ? undefined : value));
  return JSON.parse(text) as Record<string, JsonSchema>;
}

/**
 * The outline of the REST answer with its provenance, and of the REST error: clients validate a failed result too.
 * It is one object without `anyOf`, because some hosts drop every tool for a schema that they do not understand. So
 * nothing is required at the top.
 */
function resultSchema({ output }: Endpoint) {
  const body = outputSchema(output);
  const properties = Object.entries(body['properties'] as Readonly<Record<string, JsonSchema>>);
  const outlines = properties.map(([name, schema]) => [name, outlineOf(schema, LEVELS)] as const);
  return { type: 'object' as const, properties: { ...Object.fromEntries(outlines), ...AROUND } };
}

/**
 * A shorter schema that is as true: it accepts whatever the whole one accepts. It types the members of the
 * first `levels` objects, lists not counted, and names those below that are never absent. Values of a closed
 * list stay; patterns, formats and descriptions do not.
 */
export function outlineOf(schema: JsonSchema, levels: number): JsonSchema {
  const { type, properties, items, oneOf, anyOf } = schema;
  const forms = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined;
  if (properties === undefined && forms !== undefined) return outlineOfForms(forms);
  if (isMembers(properties)) return { type, ...membersOf(schema, properties, levels) };
  if (isSchema(items)) return { type, items: outlineOf(items, levels) };
  return plainOf(schema);
}

type Members = Readonly<Record<string, JsonSchema>>;

function membersOf(schema: JsonSchema, members: Members, levels: number): JsonSchema {
  if (levels === 0) return namesOf(requiredIn(schema));
  const outlines = Object.entries(members).map(([name, member]) => [name, outlineOf(member, levels - 1)]);
  return { properties: Object.fromEntries(outlines) };
}

/** What all forms of a value have. */
function outlineOfForms(forms: readonly JsonSchema[]): JsonSchema {
  if (forms.some(({ type }) => type !== 'object')) return {};
  const [first = [], ...others] = forms.map(requiredIn);
  return {
    type: 'object',
    ...namesOf(first.filter((name) => others.every((names) => names.includes(name)))),
  };
}

/** A list of values says their type, too. */
function plainOf({ type, enum: values, const: value }: JsonSchema): JsonSchema {
  if (values !== undefined) return { enum: values };
  if (value !== undefined) return { const: value };
  return type === undefined ? {} : { type };
}

function namesOf(required: readonly string[]): JsonSchema {
  return required.length === 0 ? {} : { required };
}

function requiredIn({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required : [];
}

function isMembers(value: unknown): value is Members {
  return isSchema(value) && Object.keys(value).length > 0;
}

function isSchema(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
