import type { IncomingMessage } from 'node:http';

/**
 * The client's address, behind `hops` proxies of ours: each appends the address that it saw to
 * `X-Forwarded-For`, so the one that counts is the `hops`-th from the right. What stands further
 * left is the client's own word. With 0 hops, or a shorter header, the socket's peer.
 */
export function clientAddress(req: IncomingMessage, hops: number): string {
  const peer = req.socket.remoteAddress ?? '';
  if (hops === 0) return peer;
  const header = req.headers['x-forwarded-for'];
  const seen = (typeof header === 'string' ? header : '').split(',').map((part) => part.trim());
  return seen.at(-hops) || peer;
}
