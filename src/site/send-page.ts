import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { readProblem } from '../api/endpoint/free-route.ts';
import { queryOf } from '../api/endpoint/text-input.ts';
import type { HeaderList } from '../api/http/base-headers.ts';
import { contactOf, siteOf } from '../api/http/given.ts';
import { notedOf, requestIdOf } from '../api/http/noted.ts';
import { acceptsGzip, encodedFor, hasCurrent, refuse } from '../api/http/reply.ts';
import { sha256Hex } from '../domain/canonical.ts';
import type { Asset } from './assets.ts';
import { withOperator } from './page.ts';

/** How a page is sent. */
type Sending = {
  readonly status?: number;
  /**
   * Never cached. `fresh`: the same for everyone. `private`: for one visitor, and never compressed, because the length
   * of a compressed page could betray its tokens.
   */
  readonly caching: 'fresh' | 'private';
  /** Request headers besides `Accept-Encoding` that choose the answer, as `Accept, `. */
  readonly choosesBy?: string;
  /** Sources that this page needs in addition to the strict policy, as `{ 'script-src': "'self'" }`. */
  readonly policy?: Policy;
  readonly headers?: HeaderList;
};

/** Directives of a content security policy. */
export type Policy = Readonly<Record<string, string>>;

const STATIC_SECONDS = 300;
const YEAR_SECONDS = 31_536_000;

/** Sends a whole document made by `page`. For HEAD, Node sends only the headers. */
export function sendPage(req: IncomingMessage, res: ServerResponse, document: string, how: Sending): void {
  const body = Buffer.from(withOperator(document, siteOf(res), contactOf(res)));
  const { caching, status = 200 } = how;
  const headers = [...headersOf(req, how), 'Cache-Control', 'no-store'];
  const described = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.byteLength)];
  const plain = { status, headers: [...headers, ...described], body };
  const sent = caching === 'private' ? plain : encodedFor(req, plain, how.choosesBy);
  res.writeHead(status, [...sent.headers]).end(sent.body);
}

/** A file may be cached for ever when the link has its hash, and for some minutes otherwise. */
function assetHeaders(req: IncomingMessage, asset: Asset): string[] {
  const age = req.url === asset.href ? `${YEAR_SECONDS}, immutable` : String(STATIC_SECONDS);
  return [...headersOf(req), 'Cache-Control', `public, max-age=${age}`, 'ETag', asset.etag];
}

/** Redirects after a form that changed something and shows no secret. `path` never comes from a request. */
export function sendSeeOther(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  headers: HeaderList = [],
): void {
  const all = [...headersOf(req, { headers }), 'Cache-Control', 'no-store'];
  res.writeHead(303, [...all, 'Location', path, 'Content-Length', '0']).end();
}

const CACHED: HeaderList = ['Cache-Control', `public, max-age=${STATIC_SECONDS}`];

/** The headers of a page that is the same for everyone. */
function staticHeaders(policy: Policy): string[] {
  return [...securityHeaders(policy), ...CACHED];
}

/** The headers of a text for programs, which any origin may read. */
function textHeaders(type: string): string[] {
  const open = ['Access-Control-Allow-Origin', '*', 'X-Content-Type-Options', 'nosniff'];
  return ['Content-Type', type, ...CACHED, ...open];
}

function headersOf(
  req: IncomingMessage,
  { policy = {}, headers = [] }: Pick<Sending, 'policy' | 'headers'> = {},
): string[] {
  return [...securityHeaders(policy), 'X-Request-Id', requestIdOf(req), ...headers];
}

function securityHeaders(policy: Policy): string[] {
  return [...PAGE_HEADERS, 'Content-Security-Policy', policyOf(policy)];
}

/**
 * The headers of every page and file of the site. They have no CORS, because pages are for people.
 * With the referrer policy `no-referrer`, browsers would send `Origin: null` with our own forms.
 */
const PAGE_HEADERS: HeaderList = Object.entries({
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}).flat();

const STRICT: Policy = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
};

/** The strict policy, in which a page replaces the directives that it names. */
function policyOf(more: Policy): string {
  return Object.entries({ ...STRICT, ...more })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

const compress = promisify(gzip);

/** Below this, a file is sent as it is. */
const MIN_GZIP_BYTES = 1_024;

/** Sends a file of the site. It is compressed at the first request and then sent from memory. */
export function sendingAsset(asset: Asset): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  let compressed: Promise<Buffer> | null = null;
  return async (req, res) => {
    const headers = [...assetHeaders(req, asset), 'Vary', 'Accept-Encoding'];
    if (req.headers['if-none-match'] === asset.etag) return void res.writeHead(304, headers).end();
    const isGzip = asset.body.byteLength > MIN_GZIP_BYTES && acceptsGzip(req.headers['accept-encoding']);
    if (isGzip) compressed ??= compress(asset.body, { level: 9 });
    const body = (isGzip ? await compressed : null) ?? asset.body;
    const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
    const described = ['Content-Type', asset.type, ...coding, 'Content-Length', String(body.byteLength)];
    res.writeHead(200, [...headers, ...described]).end(body);
  };
}

/** Sends a short text for programs, which any origin may read. */
export function sendText(req: IncomingMessage, res: ServerResponse, text: string, type: string): void {
  const body = Buffer.from(text);
  const described = ['X-Request-Id', requestIdOf(req), 'Content-Length', String(body.byteLength)];
  res.writeHead(200, [...textHeaders(type), ...described]).end(body);
}

/** Sends a text to be saved as a file, never cached. */
export function sendDownload(
  req: IncomingMessage,
  res: ServerResponse,
  text: string,
  { type, name }: { readonly type: string; readonly name: string },
  headers: HeaderList = [],
): void {
  const body = Buffer.from(text);
  const described = ['Content-Type', type, 'Content-Length', String(body.byteLength)];
  const saved = ['Content-Disposition', `attachment; filename="${name}"`, 'Cache-Control', 'no-store'];
  res.writeHead(200, [...headersOf(req, { headers }), ...saved, ...described]).end(body);
}

/**
 * A page or file for GET and HEAD. Other methods get 405. A key in the URL is refused (rule 11.3),
 * because it would stay in histories and logs. The same address with a slash leads to it.
 */
export function addPage(
  app: Express,
  path: string,
  answer: (req: Request, res: Response) => void | Promise<void>,
): void {
  app.all(path, async (req: Request, res: Response) => {
    notedOf(req).route = path;
    const problem = readProblem(req);
    if (problem !== null) return refuse(req, res, problem);
    await answer(req, res);
  });
  if (path === '/') return;
  app.all(`${path}/`, (req: Request, res: Response) => {
    const problem = readProblem(req);
    if (problem !== null) return refuse(req, res, problem);
    const query = queryOf(req.originalUrl);
    // The address that was asked for, not the pattern of the route.
    const moved = req.path.slice(0, -1);
    sendMoved(req, res, query === '' ? moved : `${moved}?${query}`);
  });
}

/** The address for good is another one. `path` begins as one of ours does. */
export function sendMoved(req: IncomingMessage, res: ServerResponse, path: string): void {
  res.writeHead(308, [...headersOf(req), ...CACHED, 'Location', path, 'Content-Length', '0']).end();
}

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
