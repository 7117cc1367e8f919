import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERRORS } from '../../api/http/problem.ts';
import { type Html, html } from '../html.ts';
import { inline, table } from './prose.ts';

/** Every endpoint with its price and its tool. */
export function creditsTable(): Html {
  const rows = ENDPOINTS.map((endpoint) => [
    html`<a href="${referenceOf(endpoint)}"><code>${endpoint.path}</code></a>`,
    html`${priceOf(endpoint)}`,
    html`<code>${endpoint.name}</code>`,
    inline(endpoint.summary),
  ]);
  const columns = [
    { title: 'GET, below /v1' },
    { title: 'Credits', isNumber: true },
    { title: 'Agent tool' },
    { title: 'Answers' },
  ];
  return table('Endpoints and their prices', columns, rows);
}

/** Every error code, in the order of statuses. */
export function errorsTable(): Html {
  const errors = Object.entries(ERRORS).sort(([, a], [, b]) => a.status - b.status);
  const rows = errors.map(([code, { status, meaning }]) => [
    html`<code>${code}</code>`,
    html`${status}`,
    inline(meaning),
  ]);
  return table(
    'Error codes',
    [{ title: 'error' }, { title: 'Status', isNumber: true }, { title: 'When' }],
    rows,
  );
}

/** The reference lists each operation below its tag. */
export function referenceOf(endpoint: Endpoint): string {
  const tag = endpoint.path.split('/')[1] ?? '';
  return `/docs/reference#tag/${tag}/GET${endpoint.path}`;
}

function priceOf({ credits }: Endpoint): string {
  return credits === 0 ? 'free' : String(credits);
}
