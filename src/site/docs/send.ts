import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../../api/cache/brief-reply.ts';
import { requestIdOf } from '../../api/http/request-id.ts';
import type { Asset } from '../assets.ts';
import { PAGE_HEADERS, policyOf } from '../page-headers.ts';

const compress = promisify(gzip);
const YEAR_SECONDS = 31_536_000;
const SHORT_SECONDS = 300;

/** Sends a large file: compressed once, when it is first asked for, then from memory. */
export function largeFile(asset: Asset): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  let compressed: Promise<Buffer> | null = null;
  return async (req, res) => {
    const isNamed = req.url === asset.href;
    const headers = [
      ...PAGE_HEADERS,
      ...['Content-Security-Policy', policyOf({}), 'X-Request-Id', requestIdOf(req)],
      ...[
        'Cache-Control',
        isNamed ? `public, max-age=${YEAR_SECONDS}, immutable` : `public, max-age=${SHORT_SECONDS}`,
      ],
      ...['ETag', asset.etag, 'Vary', 'Accept-Encoding'],
    ];
    if (req.headers['if-none-match'] === asset.etag) return void res.writeHead(304, headers).end();
    const isGzip = acceptsGzip(req.headers['accept-encoding']);
    if (isGzip) compressed ??= compress(asset.body, { level: 9 });
    const body = (isGzip ? await compressed : null) ?? asset.body;
    const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
    const described = ['Content-Type', asset.type, ...coding, 'Content-Length', String(body.byteLength)];
    res.writeHead(200, [...headers, ...described]).end(body);
  };
}

/** Sends a text for programs: any origin may read it. */
export function sendText(req: IncomingMessage, res: ServerResponse, text: string, type: string): void {
  const body = Buffer.from(text);
  res
    .writeHead(200, [
      ...['Content-Type', type, 'Content-Length', String(body.byteLength)],
      ...['Cache-Control', `public, max-age=${SHORT_SECONDS}`, 'Access-Control-Allow-Origin', '*'],
      ...['X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestIdOf(req)],
    ])
    .end(body);
}
