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
