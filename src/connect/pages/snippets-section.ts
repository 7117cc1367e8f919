import { type Html, html } from '../../site/html.ts';
import { snippetsOf, snippetView } from '../../site/snippets.ts';

export function snippetsSection(siteUrl: string): Html {
  const { brief, typescript, python, mcp, claude } = snippetsOf(siteUrl);
  return html`<section aria-labelledby="use">
<h2 id="use">Use it</h2>
<p class="soft">The key is in the variable <code>TIDEMARK_KEY</code>. The <a href="/docs">docs</a> list all calls and prices.</p>
<div class="columns snippets">${[brief, claude, typescript, python, mcp].map(snippetView)}</div>
</section>`;
}
