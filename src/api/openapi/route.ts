import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../domain/canonical.ts';
import type { Mount } from '../app.ts';
import { addFreeRoute } from '../endpoint/free-route.ts';
import { chooseReply, type ReadyReplies, readyReplies, send } from '../http/reply.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json`: free, without a key, for every origin, with an entity tag. */
export const mountOpenApi: Mount = (app, api) => {
  // Made at the first request, so a process starts without it.
  let replies: ReadyReplies | null = null;
  addFreeRoute(app, '/openapi.json', (req, res, requestId) => {
    replies ??= repliesOf(JSON.stringify(openApiDocument(api.siteUrl)));
    send(res, requestId, chooseReply(req, replies));
  });
};

function repliesOf(text: string): ReadyReplies {
  const plain = Buffer.from(text);
  const etag = `W/"${sha256Hex(text).slice(0, 32)}"`;
  return readyReplies(etag, 'public, no-cache', { plain, gzip: gzipSync(plain, { level: 9 }) });
}
