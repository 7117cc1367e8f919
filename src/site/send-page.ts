import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from '../api/http/base-headers.ts';
import { requestIdOf } from '../api/http/request-id.ts';
import type { Asset } from './assets.ts';
import { PAGE_HEADERS, policyOf } from './page-headers.ts';

/** How a page is sent. */
export type Sending = {
  readonly status?: number;
  /** `static`: the same for everyone, cached for some minutes. `private`: never cached. */
  readonly caching: 'static' | 'private';
  /** Sources that this page needs in addition to the strict policy, as `{ 'script-src': "'self'" }`. */
  readonly policy?: Readonly<Record<string, string>>;
  readonly headers?: HeaderList;
};

export const STATIC_SECONDS = 300;
const YEAR_SECONDS = 31_536_000;

/** Sends a whole document made by `page`. For HEAD, Node sends only the headers. */
export function sendPage(req: IncomingMessage, res: ServerResponse, document: string, how: Sending): void {
  const body = Buffer.from(document);
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
  const isStatic = how.caching === 'static';
  const headers = [
    ...headersOf(req, how),
    'Cache-Control',
    isStatic ? `public, max-age=${STATIC_SECONDS}` : 'no-store',
    ...(isStatic ? ['ETag', etag] : []),
  ];
  if (isStatic && req.headers['if-none-match'] === etag) return void res.writeHead(304, headers).end();
  const described = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.byteLength)];
  res.writeHead(how.status ?? 200, [...headers, ...described]).end(body);
}

/** Sends a file of the site. */
export function sendAsset(req: IncomingMessage, res: ServerResponse, asset: Asset): void {
  const headers = assetHeaders(req, asset);
  if (req.headers['if-none-match'] === asset.etag) return void res.writeHead(304, headers).end();
  const described = ['Content-Type', asset.type, 'Content-Length', String(asset.body.byteLength)];
  res.writeHead(200, [...headers, ...described]).end(asset.body);
}

/** A file may be cached for ever when the link has its hash, and for some minutes otherwise. */
export function assetHeaders(req: IncomingMessage, asset: Asset): string[] {
  const age = req.url === asset.href ? `${YEAR_SECONDS}, immutable` : String(STATIC_SECONDS);
  const headers = ['Cache-Control', `public, max-age=${age}`, 'ETag', asset.etag];
  return [...headersOf(req, { caching: 'static' }), ...headers];
}

/** Redirects after a form that changed something and shows no secret. `path` never comes from a request. */
export function sendSeeOther(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  headers: HeaderList = [],
): void {
  const all = [...headersOf(req, { caching: 'private', headers }), 'Cache-Control', 'no-store'];
  res.writeHead(303, [...all, 'Location', path, 'Content-Length', '0']).end();
}

function headersOf(req: IncomingMessage, { policy = {}, headers = [] }: Sending): string[] {
  const security = ['Content-Security-Policy', policyOf(policy)];
  return [...PAGE_HEADERS, ...security, 'X-Request-Id', requestIdOf(req), ...headers];
}
