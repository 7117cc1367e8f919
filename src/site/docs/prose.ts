import type { Api } from '../../api/open.ts';
import { compare } from '../../domain/compare.ts';
import { type Brief, outcomeShape } from '../../domain/wire/brief.ts';
import { readSandboxData } from '../../sandbox/data.ts';
import type { BriefDoc } from '../../store/publish/briefs.ts';
import type { CurrentBriefDoc } from '../../store/publish/current-briefs.ts';
import { type Html, html, type Part } from '../html.ts';
import { type Column, tableOf } from '../table.ts';

/** Text with code in backticks and strong words in double asterisks. */
export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`;
    return part;
  })}`;
}

/** Paragraphs of {@link inline} text. */
export function paragraphs(...texts: readonly string[]): Html {
  return html`${texts.map((text) => html`<p>${inline(text)}</p>`)}`;
}

/** A block to copy. It scrolls, so it must be reachable by keyboard. */
export function listing(text: string, label: string): Html {
  return html`<pre tabindex="0" role="region" aria-label="${label}"><code>${text.trim()}</code></pre>`;
}

/** A table in which the first cell of a row is its header. */
export function table(name: string, columns: readonly Column[], rows: readonly (readonly Html[])[]): Html {
  return tableOf({ name, columns, rows });
}

/** The settings of this installation that the guide shows. */
export type Setting = {
  readonly siteUrl: string;
  readonly limits: Api['limits'];
  readonly signUp: Api['signUp'];
  readonly sandbox: readonly SandboxBrief[];
};

/** A part of the guide, listed in its table of contents. */
export type Section = {
  readonly id: string;
  readonly title: string;
  readonly body: (setting: Setting) => Html;
};

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

/** The kind of brief that a ticker of the sandbox shows. */
type SandboxBrief = ReturnType<typeof summaryOf>;

/** One ticker for each kind of brief in the sandbox, sorted by outcome. */
export async function sandboxBriefs(): Promise<readonly SandboxBrief[]> {
  const { collections } = await readSandboxData();
  const shown = (collections.get('current_briefs') ?? []) as unknown as readonly CurrentBriefDoc[];
  const briefs = (collections.get('briefs') ?? []) as unknown as readonly BriefDoc[];
  const current = new Set(shown.map(({ briefId }) => briefId));
  const all = briefs.filter((brief) => current.has(brief._id)).map(summaryOf);
  const sorted = all.sort((a, b) => rankOf(a) - rankOf(b) || compare(a.ticker, b.ticker));
  const kinds = new Map<string, SandboxBrief>();
  for (const brief of sorted) {
    const { ticker: _, ...kind } = brief;
    const name = JSON.stringify(kind);
    if (!kinds.has(name)) kinds.set(name, brief);
  }
  return [...kinds.values()];
}

function rankOf({ outcome }: SandboxBrief): number {
  return outcomeShape.options.indexOf(outcome);
}

function summaryOf({ ticker, body }: BriefDoc) {
  const { data } = JSON.parse(Buffer.from(body.buffer).toString()) as { data: Brief };
  return {
    ticker,
    outcome: data.outcome,
    institutional: data.institutional.stance,
    insiders: data.insiders.stance,
    corroboration: data.corroboration,
  };
}
