import type { z } from 'zod';
import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { creditText, ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { inputSchema, type JsonSchema, outputSchema } from '../../api/openapi/components.ts';
import { explanationOf } from '../../api/openapi/document.ts';
import { type Html, html } from '../html.ts';
import { inline, paragraphs, table } from './prose.ts';

/** Where the page of an endpoint is. */
export function endpointPath({ name }: Endpoint): string {
  return `/docs/endpoints/${name}`;
}

export function priceText({ credits }: Endpoint): string {
  return credits === 0 ? 'Free' : `${creditText(credits)} a call`;
}

export function route({ path }: Endpoint): Html {
  return html`<p class="route"><code>GET /v1${path}</code></p>`;
}

/** What it answers, and how it is asked. */
export function explanation(endpoint: Endpoint): Html {
  return html`<p class="lead">${endpoint.summary}.</p>
${paragraphs(...explanationOf(endpoint).split('\n\n'))}`;
}

export function parametersTable(endpoint: Endpoint): Html {
  const rows = parameterRows(endpoint);
  if (rows.length === 0) return html`<p>None.</p>`;
  return table(`Parameters of ${endpoint.path}`, columns('Parameter', 'Value', 'What'), rows);
}

/** Closed, because an answer has up to some hundred fields. */
export function everyField(endpoint: Endpoint): Html {
  const rows = fieldRows(endpoint);
  return html`<details><summary>Every field of the answer (${rows.length})</summary>
${table(`Fields of ${endpoint.path}`, columns('Field', 'Value', 'What'), rows)}</details>`;
}

/** What every metered call can meet, and the errors of this one. */
const COMMON: readonly ErrorCode[] = ['invalid_parameter', 'unauthorized', 'insufficient_credits'];
const LAST: readonly ErrorCode[] = ['rate_limited', 'internal_error', 'unavailable'];

export function errorsTable({ path, errors, credits }: Endpoint): Html {
  const codes = [...COMMON, ...errors, ...LAST].filter(
    (code) => credits > 0 || code !== 'insufficient_credits',
  );
  const rows = codes.map((code) => [
    html`<a href="${errorPath(code)}"><code>${code}</code></a>`,
    html`${ERRORS[code].status}`,
    inline(ERRORS[code].meaning),
  ]);
  const heads = [{ title: 'error' }, { title: 'Status', isNumber: true }, { title: 'When' }];
  return table(`Errors of ${path}`, heads, rows);
}

function columns(...titles: readonly string[]): { title: string }[] {
  return titles.map((title) => ({ title }));
}

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

/** The parameters of an endpoint: the name and its place, which values it takes, what it does. */
function parameterRows({ params, query }: Endpoint): readonly (readonly Html[])[] {
  return [...rowsOf('in the path', params), ...rowsOf('in the query', query)];
}

function rowsOf(place: string, shape: z.ZodRawShape): (readonly Html[])[] {
  return Object.entries(shape).map(([name, type]) => {
    const schema = inputSchema(type as z.ZodType);
    const isRequired = !(type as z.ZodType).safeParse(undefined).success;
    const needed = isRequired ? html`, <strong>required</strong>` : null;
    return [
      html`<code>${name}</code><span class="below">${place}${needed}</span>`,
      html`${valuesOf(schema)}`,
      inline(String(schema['description'] ?? '')),
    ];
  });
}

/** Which values a parameter or a field takes, in words: `integer, 1 to 100; 50 unless given`. */
function valuesOf(schema: JsonSchema): string {
  const { type, default: fallback } = schema;
  const variants = variantsOf(schema);
  if (type === undefined && variants.length > 0) return [...new Set(variants.map(valuesOf))].join(' or ');
  const bounds = [boundsOf(schema['minimum'], schema['maximum']), atMost(schema['maxItems'])];
  const said = [kindOf(schema), ...bounds].filter((part) => part !== null).join(', ');
  return fallback === undefined ? said : `${said}; ${fallback} unless given`;
}

/** The schemas of which a value has one. */
function variantsOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
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
