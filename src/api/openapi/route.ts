import { gzipSync } from 'node:zlib';
import type { Request } from 'express';
import { sha256Hex } from '../../domain/canonical.ts';
import type { Mount } from '../app.ts';
import { addFreeRoute } from '../endpoint/free-route.ts';
import { acceptsGzip, hasCurrent, JSON_TYPE, lengthOf, type Reply, send } from '../http/reply.ts';
import { openApiDocument } from './document.ts';

type Described = { readonly etag: string; readonly plain: Buffer; readonly gzip: Buffer };

/** `/openapi.json`: free, without a key, for every origin, with an entity tag. */
export const mountOpenApi: Mount = (app, api) => {
  // Made at the first request, so a process starts without it.
  let described: Described | null = null;
  addFreeRoute(app, '/openapi.json', (req, res, requestId) => {
    described ??= describe(api.siteUrl);
    send(res, requestId, choose(req, described));
  });
};

function describe(siteUrl: string): Described {
  const text = JSON.stringify(openApiDocument(siteUrl));
  const plain = Buffer.from(text);
  return { etag: `W/"${sha256Hex(text).slice(0, 32)}"`, plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** Node omits the body in the answer to a HEAD. */
function choose(req: Request, { etag, plain, gzip }: Described): Reply {
  const caching = ['ETag', etag, 'Cache-Control', 'public, no-cache', 'Vary', 'Accept-Encoding'];
  if (hasCurrent(req, etag)) return { status: 304, headers: caching, body: null };
  const isGzip = acceptsGzip(req.headers['accept-encoding']);
  const body = isGzip ? gzip : plain;
  const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
  return { status: 200, headers: [...JSON_TYPE, ...caching, ...coding, ...lengthOf(body)], body };
}
