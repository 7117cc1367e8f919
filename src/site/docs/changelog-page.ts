import { readFileSync } from 'node:fs';
import { html } from '../html.ts';
import { page } from '../page.ts';
import { chapter, HOW_TO_OPEN, inline } from './prose.ts';

const FILE = new URL('../../../CHANGELOG.md', import.meta.url);

/** What changed in each release, by whom it concerns. */
export function changelogPage(): string {
  const releases = readChangelog(readFileSync(FILE, 'utf8')).map(({ name, groups }) => {
    const id = anchor(name);
    const parts = groups.map(({ title, changes }) => {
      const body = html`<ul>${changes.map(
        (change) => html`<li>${inline(change)}</li>
`,
      )}</ul>`;
      return title === '' ? body : chapter({ id: `${id}-${anchor(title)}`, title, level: 3, body });
    });
    return html`<section aria-labelledby="${id}">
<h2 id="${id}">${name}</h2>
${contentsOf(id, groups)}
${parts}
</section>
`;
  });
  return page({
    title: 'Changelog',
    description: 'What changed in Tidemark, by release and by whom it concerns.',
    path: '/changelog',
    body: html`<article class="changelog" id="all">
<h1>Changelog</h1>
<p class="lead">The interface at <code>/v1</code> only grows: what it answers keeps its name and its meaning.</p>
${HOW_TO_OPEN}
${releases}
</article>`,
  });
}

function contentsOf(id: string, groups: readonly { readonly title: string }[]) {
  const named = groups.filter(({ title }) => title !== '');
  if (named.length < 2) return null;
  const items = named.map(({ title }) => html`<li><a href="#${id}-${anchor(title)}">${title}</a></li>`);
  return html`<ul class="inline-list">${items}</ul>`;
}

function anchor(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** A release, newest first: what changed, under whom it concerns. */
type Release = {
  readonly name: string;
  readonly groups: readonly { readonly title: string; readonly changes: readonly string[] }[];
};

/** Reads CHANGELOG.md: `## release`, `### whom it concerns`, `- change`. Anything else is an introduction. */
export function readChangelog(markdown: string): readonly Release[] {
  const [, ...releases] = markdown.split(/^## /m);
  return releases.map((release) => {
    const [head = '', ...named] = release.split(/^### /m);
    const [name = '', ...unnamed] = head.split('\n');
    const groups = [{ title: '', lines: unnamed }, ...named.map(titled)];
    return {
      name: name.trim(),
      groups: groups
        .map(({ title, lines }) => ({ title, changes: lines.flatMap(changeOf) }))
        .filter(({ changes }) => changes.length > 0),
    };
  });
}

function titled(group: string): { readonly title: string; readonly lines: readonly string[] } {
  const [title = '', ...lines] = group.split('\n');
  return { title: title.trim(), lines };
}

/** One change, with the text of its links: they lead to files of the source. */
function changeOf(line: string): string[] {
  if (!line.startsWith('- ')) return [];
  return [line.slice(2).replace(/\[([^[\]]+)\]\([^()]*\)/g, '$1')];
}
