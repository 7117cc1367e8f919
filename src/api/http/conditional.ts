import type { IncomingMessage } from 'node:http';

/** The client has the version of this entity tag: If-None-Match lists it, or is `*` (RFC 9110 8.8.3.2, weak). */
export function hasCurrent(req: IncomingMessage, etag: string): boolean {
  const condition = req.headers['if-none-match'];
  if (condition === undefined) return false;
  if (condition.trim() === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return condition.split(',').some((one) => one.trim().replace(/^W\//, '') === opaque);
}

/** `gzip` with a weight above zero; `*` alone is not enough to compress. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  const codings = header.toLowerCase();
  if (!codings.includes('gzip')) return false;
  return codings.split(',').some((one) => {
    const [coding = '', ...parameters] = one.split(';').map((part) => part.trim());
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
