import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Express } from 'express';
import type { HeaderList } from '../api/http/base-headers.ts';
import { contactOf, siteOf } from '../api/http/given.ts';
import { acceptsGzip, hasCurrent } from '../api/http/reply.ts';
import { requestIdOf } from '../api/http/request-id.ts';
import { sha256Hex } from '../domain/canonical.ts';
import { withOperator } from './page.ts';
import { addPage, type Policy, staticHeaders, textHeaders } from './send-page.ts';

/** An answer that is the same for everyone and stays in memory, compressed. */
export type Kept = { readonly gzip: Buffer; readonly headers: HeaderList; readonly etag: string };

/** A document made by `page`. */
export function keptPage(res: ServerResponse, document: string, policy: Policy = {}): Kept {
  const body = Buffer.from(withOperator(document, siteOf(res), contactOf(res)));
  return kept(body, gzipSync(body), ['Content-Type', 'text/html; charset=utf-8', ...staticHeaders(policy)]);
}

/** A text for programs, which any origin may read. */
export function keptText(body: Buffer, type: string, gzip: Buffer = gzipSync(body)): Kept {
  return kept(body, gzip, textHeaders(type));
}

function kept(body: Buffer, gzip: Buffer, described: HeaderList): Kept {
  const etag = `"${sha256Hex(body).slice(0, 16)}"`;
  // A copy: what zlib returns is part of a larger buffer.
  return { gzip: Buffer.from(gzip), etag, headers: [...described, 'ETag', etag, 'Vary', 'Accept-Encoding'] };
}

/** Adds what is made at the first request. */
export function addKept(
  app: Express,
  path: string,
  make: (res: ServerResponse) => Kept | Promise<Kept>,
): void {
  let made: Kept | null = null;
  addPage(app, path, async (req, res) => {
    made ??= await make(res);
    sendKept(req, res, made);
  });
}

export function sendKept(req: IncomingMessage, res: ServerResponse, { gzip, headers, etag }: Kept): void {
  const all = [...headers, 'X-Request-Id', requestIdOf(req)];
  if (hasCurrent(req, etag)) return void res.writeHead(304, all).end();
  const isGzip = acceptsGzip(req.headers['accept-encoding']);
  const body = isGzip ? gzip : gunzipSync(gzip);
  const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
  res.writeHead(200, [...all, ...coding, 'Content-Length', String(body.byteLength)]).end(body);
}
