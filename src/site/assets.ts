import { readFileSync } from 'node:fs';
import { sha256Hex } from '../domain/canonical.ts';

/** A file of the site, read once at the start. */
export type Asset = {
  /** Where it is served. */
  readonly path: string;
  /** {@link path} with the hash of the content, for links. Such an answer may be cached for ever. */
  readonly href: string;
  readonly type: string;
  readonly body: Buffer;
  /** With its quotes. */
  readonly etag: string;
};

/** One asset made of several files, in this order. */
export function readAsset(files: readonly URL[], path: string, type: string): Asset {
  const body = Buffer.concat(files.map((file) => readFileSync(file)));
  const hash = sha256Hex(body).slice(0, 16);
  return { path, href: `${path}?v=${hash}`, type, body, etag: `"${hash}"` };
}

const STYLES = ['base', 'pieces', 'pages'];

export const STYLESHEET = readAsset(
  STYLES.map((name) => new URL(`style/${name}.css`, import.meta.url)),
  '/site.css',
  'text/css; charset=utf-8',
);

export const ICON = readAsset([new URL('favicon.svg', import.meta.url)], '/favicon.svg', 'image/svg+xml');

/** What a link to a page shows elsewhere: og.svg as a picture of 1200 by 630 pixels, made once. */
export const PREVIEW = readAsset([new URL('og.png', import.meta.url)], '/og.png', 'image/png');

/** Sortable tables and copy buttons, for pages sent with {@link SCRIPTED}. */
export const SCRIPT = readAsset(
  [new URL('site.js', import.meta.url)],
  '/site.js',
  'text/javascript; charset=utf-8',
);

/** The policy of a page with the script of the site. Pages that show or take a key have none. */
export const SCRIPTED = { 'script-src': "'self'" } as const;
