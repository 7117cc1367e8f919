import type { IncomingMessage } from 'node:http';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { acceptsGzip, hasCurrent } from '../http/conditional.ts';
import { JSON_TYPE, lengthOf, type Reply } from '../http/reply.ts';

/** The three answers of a stored brief, made once. */
export type BriefReplies = {
  readonly etag: string;
  readonly plain: Reply;
  readonly gzip: Reply;
  readonly notModified: Reply;
};

export function briefReplies(brief: StoredBrief): BriefReplies {
  const etag = `W/"${brief.briefId}"`;
  const caching: HeaderList = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding'];
  return {
    etag,
    plain: { status: 200, headers: [...JSON_TYPE, ...caching, ...lengthOf(brief.body)], body: brief.body },
    gzip: {
      status: 200,
      headers: [...JSON_TYPE, ...caching, 'Content-Encoding', 'gzip', ...lengthOf(brief.gzip)],
      body: brief.gzip,
    },
    notModified: { status: 304, headers: caching, body: null },
  };
}

/**
 * Compares the entity tag itself: Node's own fetch adds `Cache-Control: no-cache` to a conditional
 * request, and Express would then never answer 304.
 */
export function chooseBriefReply(req: IncomingMessage, replies: BriefReplies): Reply {
  if (hasCurrent(req, replies.etag)) return replies.notModified;
  return acceptsGzip(req.headers['accept-encoding']) ? replies.gzip : replies.plain;
}
