import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENDPOINTS } from '../../src/api/endpoints/index.ts';
import { ERRORS, type ErrorCode } from '../../src/api/http/problem.ts';
import { loadConfig } from '../../src/config.ts';
import { agentHosts, snippetsOf } from '../../src/site/agent-hosts.ts';
import { endpointPage, errorPage } from '../../src/site/docs/endpoint-page.ts';
import { guidePage } from '../../src/site/docs/guide.ts';
import { markdownIn } from './markdown.ts';

/** A text that a reader may copy. `name`: its label on a page, or its first line in a file. */
export type Listing = { readonly place: string; readonly name: string; readonly text: string };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The Markdown files of the repository with their texts, by their paths. The changelog is history. */
export function documents(): ReadonlyMap<string, string> {
  const paths = markdownIn(ROOT).filter((path) => path !== 'CHANGELOG.md');
  return new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}

/** Every listing of the Markdown files and of the pages that tell how to call `siteUrl`. */
export function listings(siteUrl: string): readonly Listing[] {
  return [...[...documents()].flatMap(([path, text]) => fencedIn(path, text)), ...listingsOfPages(siteUrl)];
}

function fencedIn(place: string, text: string): Listing[] {
  return [...text.matchAll(/^ *```.*\n([\s\S]*?)\n *```$/gm)].map(([, code = '']) => ({
    ...{ place, name: code.split('\n', 1)[0] ?? '', text: code },
  }));
}

function listingsOfPages(siteUrl: string): Listing[] {
  const guide = guidePage({ ...loadConfig({}), siteUrl, sandbox: [] });
  const snippets = [...Object.values(snippetsOf(siteUrl)), ...agentHosts(siteUrl)];
  return [
    ...labelledIn('/docs', guide),
    ...ENDPOINTS.flatMap((one) => labelledIn('/docs/endpoints', endpointPage(one, siteUrl))),
    ...Object.keys(ERRORS).flatMap((code) =>
      labelledIn('/docs/errors', errorPage(code as ErrorCode, siteUrl)),
    ),
    ...snippets.map(({ title, code }) => ({ place: '/connect', name: title, text: code })),
  ];
}

function labelledIn(place: string, page: string): Listing[] {
  return [...page.matchAll(/<pre\b([^>]*)><code>([\s\S]*?)<\/code><\/pre>/g)].map(
    ([, head = '', code = '']) => ({
      ...{ place, name: /aria-label="([^"]*)"/.exec(head)?.[1] ?? '', text: unescaped(code) },
    }),
  );
}

const ESCAPED: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' },
};

function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (code) => ESCAPED[code] ?? code);
}
