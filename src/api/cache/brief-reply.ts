import type { IncomingMessage } from 'node:http';
import type { StoredBrief } from '../../store/publish/briefs.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { lengthOf, type Reply } from '../http/reply.ts';

/** The three answers that a stored brief has, made once. */
export type BriefReplies = {
  readonly etag: string;
  readonly plain: Reply;
  readonly gzip: Reply;
  readonly notModified: Reply;
};

export function briefReplies(brief: StoredBrief): BriefReplies {
  const etag = `W/"${brief.briefId}"`;
  const caching: HeaderList = ['ETag', etag, 'Cache-Control', 'private, no-cache', 'Vary', 'Accept-Encoding'];
  const type: HeaderList = ['Content-Type', 'application/json; charset=utf-8'];
  return {
    etag,
    plain: { status: 200, headers: [...type, ...caching, ...lengthOf(brief.body)], body: brief.body },
    gzip: {
      status: 200,
      headers: [...type, ...caching, 'Content-Encoding', 'gzip', ...lengthOf(brief.gzip)],
      body: brief.gzip,
    },
    notModified: { status: 304, headers: caching, body: null },
  };
}

/**
 * Chooses by hand: Node's own fetch adds `Cache-Control: no-cache` to a conditional request, and
 * Express would then never answer 304.
 */
export function chooseBriefReply(req: IncomingMessage, replies: BriefReplies): Reply {
  if (hasCurrent(req, replies.etag)) return replies.notModified;
  return acceptsGzip(req.headers['accept-encoding']) ? replies.gzip : replies.plain;
}

/** The client says that it has the version named by the entity tag. */
export function hasCurrent(req: IncomingMessage, etag: string): boolean {
  const condition = req.headers['if-none-match'];
  return condition !== undefined && matches(condition, etag);
}

/** Weak comparison (RFC 9110 8.8.3.2) against a list of entity tags, or `*`. */
function matches(condition: string, etag: string): boolean {
  if (condition.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

/** `gzip` with a weight above zero; `*` alone is no reason to compress. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  const codings = header.toLowerCase();
  if (!codings.includes('gzip')) return false;
  return codings.split(',').some((one) => {
    const [coding = '', ...parameters] = one.split(';').map((part) => part.trim());
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
