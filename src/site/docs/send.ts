import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from '../../api/http/reply.ts';
import { requestIdOf } from '../../api/http/request-id.ts';
import type { Asset } from '../assets.ts';
import { assetHeaders, STATIC_SECONDS } from '../send-page.ts';

const compress = promisify(gzip);

/** Sends a large file. It is compressed at the first request and then sent from memory. */
export function largeFile(asset: Asset): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  let compressed: Promise<Buffer> | null = null;
  return async (req, res) => {
    const headers = [...assetHeaders(req, asset), 'Vary', 'Accept-Encoding'];
    if (req.headers['if-none-match'] === asset.etag) return void res.writeHead(304, headers).end();
    const isGzip = acceptsGzip(req.headers['accept-encoding']);
    if (isGzip) compressed ??= compress(asset.body, { level: 9 });
    const body = (isGzip ? await compressed : null) ?? asset.body;
    const coding = isGzip ? ['Content-Encoding', 'gzip'] : [];
    const described = ['Content-Type', asset.type, ...coding, 'Content-Length', String(body.byteLength)];
    res.writeHead(200, [...headers, ...described]).end(body);
  };
}

/** Sends a text for programs, which any origin may read. */
export function sendText(req: IncomingMessage, res: ServerResponse, text: string, type: string): void {
  const body = Buffer.from(text);
  res
    .writeHead(200, [
      ...['Content-Type', type, 'Content-Length', String(body.byteLength)],
      ...['Cache-Control', `public, max-age=${STATIC_SECONDS}`, 'Access-Control-Allow-Origin', '*'],
      ...['X-Content-Type-Options', 'nosniff', 'X-Request-Id', requestIdOf(req)],
    ])
    .end(body);
}
