import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import type { Mount } from '../app.ts';
import { acceptsGzip, hasCurrent } from '../cache/brief-reply.ts';
import { keysIn, queryOf } from '../endpoint/text-input.ts';
import { type HeaderList, preflightHeaders } from '../http/base-headers.ts';
import { invalid, methodNotAllowed, type Problem } from '../http/problem.ts';
import { lengthOf, problemReply, type Reply, send } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
import { openApiDocument } from './document.ts';

const METHODS = 'GET, HEAD';
const TYPE: HeaderList = ['Content-Type', 'application/json; charset=utf-8'];

/** `/openapi.json`: free, without a key, open to every origin, with an entity tag. */
export const mountOpenApi: Mount = (app, api) => {
  const answer = describer(api.siteUrl);
  app.all('/openapi.json', (req: Request, res: Response) => send(res, requestIdOf(req), answer(req)));
};

/** The document is made when it is first asked for: a process that nobody asks starts without it. */
function describer(siteUrl: string): (req: Request) => Reply {
  let made: Described | null = null;
  return (req) => {
    if (req.method === 'OPTIONS') return { status: 204, headers: preflightHeaders(METHODS), body: null };
    const refused = refusalOf(req);
    if (refused !== null) return problemReply(refused, requestIdOf(req));
    made ??= describe(siteUrl);
    return choose(req, made);
  };
}

function refusalOf(req: Request): Problem | null {
  if (req.method !== 'GET' && req.method !== 'HEAD') return methodNotAllowed(METHODS);
  const details = keysIn(new URLSearchParams(queryOf(req.originalUrl)));
  return details.length > 0 ? invalid(details) : null;
}

type Described = { readonly etag: string; readonly plain: Buffer; readonly gzip: Buffer };

function describe(siteUrl: string): Described {
  const plain = Buffer.from(JSON.stringify(openApiDocument(siteUrl)));
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 32);
  return { etag: `W/"${hash}"`, plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** Node leaves the body out of the answer to a HEAD. */
function choose(req: Request, { etag, plain, gzip }: Described): Reply {
  const caching = ['ETag', etag, 'Cache-Control', 'public, no-cache', 'Vary', 'Accept-Encoding'];
  if (hasCurrent(req, etag)) return { status: 304, headers: caching, body: null };
  const isGzip = acceptsGzip(req.headers['accept-encoding']);
  const body = isGzip ? gzip : plain;
  const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
  return { status: 200, headers: [...TYPE, ...caching, ...coding, ...lengthOf(body)], body };
}
