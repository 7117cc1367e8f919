import { ERRORS, type ErrorCode } from '../../api/http/problem.ts';
import { problemExample } from '../../api/openapi/error-example.ts';
import { html } from '../html.ts';
import { page } from '../page.ts';
import { listing, paragraphs } from './prose.ts';

/** What an error code means and what to do about it: where `docs_url` of an error leads. */
export function errorPage(code: ErrorCode, siteUrl: string): string {
  const { status, meaning, remedy } = ERRORS[code];
  const example = JSON.stringify(problemExample(code, siteUrl), null, 2);
  return page({
    title: code,
    description: meaning,
    path: '/docs',
    scripted: true,
    body: html`<article>
<p class="eyebrow">Error ${status}</p>
<h1><code>${code}</code></h1>
${paragraphs(meaning, `**What to do.** ${remedy}`, 'Errors cost no credits.')}
${listing(example, 'An error answer')}
<p><a href="/docs#errors">All errors</a> · <a href="/docs/reference">API reference</a></p>
</article>`,
  });
}
