import type { Endpoint } from '../../api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../api/http/problem.ts';
import { meaningOf } from '../../api/http/problem-meaning.ts';
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
  const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);
  const rows = codes.map((code) => [
    html`<code>${code}</code>`,
    html`${ERROR_STATUS[code]}`,
    inline(meaningOf(code) ?? ''),
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
