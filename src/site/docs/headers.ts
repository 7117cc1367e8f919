import { HEADERS } from '../../api/openapi/headers.ts';
import { html } from '../html.ts';
import { inline, paragraphs, type Section, table } from './prose.ts';

export const headers: Section = {
  id: 'headers',
  title: 'Headers',
  body: () => html`
${paragraphs('These response headers matter to a client. Scripts of any site may call with a key and read them (CORS, without cookies). Your own `X-Request-Id`, 8 to 64 letters, digits, `-` or `_`, is kept. Below `/v1` only GET is answered: HEAD and others are 405 with `Allow`.')}
${table(
  'Response headers',
  [{ title: 'Header' }, { title: 'Meaning' }, { title: 'Example' }],
  Object.entries(HEADERS).map(([name, { description, example }]) => [
    html`<code>${name}</code>`,
    inline(description),
    html`<code>${example}</code>`,
  ]),
)}
`,
};
