import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { creditText, ERRORS, type ErrorCode, errorPath } from '../../api/http/problem.ts';
import { explanationOf } from '../../api/openapi/document.ts';
import { type Html, html } from '../html.ts';
import { fieldRows } from './endpoint-fields.ts';
import { parameterRows } from './endpoint-parameters.ts';
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
