import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddress } from '../http/address.ts';
import { addressBlock } from '../http/address-block.ts';
import { whenConnectionEnds } from '../http/connection.ts';
import { problemReply, send } from '../http/reply.ts';
import { requestIdOf } from '../http/request-id.ts';
import { rateLimited } from './rate-limit.ts';

/** Refuses a request whose body would be one too many of its client; true when it did. */
export type RefuseUpload = (req: IncomingMessage, res: ServerResponse) => boolean;

/**
 * Bounds how many requests of one client may be sending a body at the same time, so that slow senders
 * hold sockets and nothing else. `hops` proxies in front are trusted.
 */
export function limitUploads(most: number, hops: number): RefuseUpload {
  const counts = new Map<string, number>();
  return (req, res) => {
    if (!hasBody(req)) return false;
    const block = addressBlock(clientAddress(req, hops));
    const count = counts.get(block) ?? 0;
    if (count >= most) {
      refuse(req, res);
      return true;
    }
    counts.set(block, count + 1);
    whenArrived(req, () => {
      const left = (counts.get(block) ?? 1) - 1;
      if (left === 0) counts.delete(block);
      else counts.set(block, left);
    });
    return false;
  };
}

/** A body is announced by its length or by its coding (RFC 9112 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function whenArrived(req: IncomingMessage, act: () => void): void {
  const waiting = whenConnectionEnds(req.socket);
  const once = (): void => {
    if (waiting.delete(once)) act();
  };
  waiting.add(once);
  req.once('end', once);
}

function refuse(req: IncomingMessage, res: ServerResponse): void {
  res.shouldKeepAlive = false;
  const requestId = requestIdOf(req);
  const told = rateLimited('This address is sending too many bodies at once.', 1);
  send(res, requestId, problemReply(told, requestId));
}
