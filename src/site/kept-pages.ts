import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { contactOf, siteOf } from '../api/http/given.ts';
import { acceptsGzip } from '../api/http/reply.ts';
import { sha256Hex } from '../domain/canonical.ts';
import { withOperator } from './page.ts';
import { type PageSecurity, staticHeaders } from './send-page.ts';

/** A page whose content never changes, as it is sent. */
export type KeptPage = { readonly gzip: Buffer; readonly etag: string };

/** Rendered pages by their key, compressed; those asked for least lately go first. */
export function keptPages(maxBytes: number) {
  const pages = new LRUCache<string, KeptPage>({
    maxSize: maxBytes,
    sizeCalculation: ({ gzip }) => gzip.byteLength,
  });
  return {
    find: (key: string): KeptPage | null => pages.get(key) ?? null,
    keep(res: ServerResponse, key: string, render: () => string): KeptPage {
      const kept = pages.get(key);
      if (kept !== undefined) return kept;
      const body = Buffer.from(withOperator(render(), siteOf(res), contactOf(res)));
      const made = { gzip: gzipSync(body), etag: `"${sha256Hex(body).slice(0, 16)}"` };
      pages.set(key, made);
      return made;
    },
  };
}

export function sendKept(
  req: IncomingMessage,
  res: ServerResponse,
  { gzip, etag }: KeptPage,
  security: PageSecurity = {},
): void {
  const headers = [...staticHeaders(req, security), 'ETag', etag, 'Vary', 'Accept-Encoding'];
  if (req.headers['if-none-match'] === etag) return void res.writeHead(304, headers).end();
  sendPacked(req, res, gzip, [...headers, 'Content-Type', 'text/html; charset=utf-8']);
}

/** Sends compressed bytes as the client takes them. */
export function sendPacked(
  req: IncomingMessage,
  res: ServerResponse,
  gzip: Buffer,
  headers: readonly string[],
): void {
  const isGzip = acceptsGzip(req.headers['accept-encoding']);
  const body = isGzip ? gzip : gunzipSync(gzip);
  const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
  res.writeHead(200, [...headers, ...coding, 'Content-Length', String(body.byteLength)]).end(body);
}
