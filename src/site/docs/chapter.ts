import { type Html, html, type Part } from '../html.ts';

type Chapter = { readonly id: string; readonly title: string; readonly level: 2 | 3; readonly body: Part };

/**
 * A part of a long page. On a phone only its heading shows until it is opened: its heading is a link to itself, so
 * that it is open while it, or something in it, is the target of the address. No script is needed, a link from
 * elsewhere opens what it names, and a browser that does not know `:has` shows everything.
 */
export function chapter({ id, title, level, body }: Chapter): Html {
  const link = html`<a href="#${id}">${title}</a>`;
  const heading = level === 2 ? html`<h2 id="${id}">${link}</h2>` : html`<h3 id="${id}">${link}</h3>`;
  return html`<section class="chapter" aria-labelledby="${id}">
${heading}
<div class="chapter-body">
${body}
</div>
</section>
`;
}

/** Says on a phone how the chapters open; for an element with the id `all` around them. */
export const HOW_TO_OPEN = html`<p class="chapter-hint soft">Tap a heading to open it, or <a href="#all">open everything</a>.</p>`;
