import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '../http/limits.ts';

/** A request's body; `gone` when the client went away while sending it. */
export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'gone' };

/** Reads at most 64 KB, announced or not; what comes after that is not kept. */
export async function readBody(req: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).byteLength;
      if (size > MAX_BODY_BYTES) return { kind: 'too_large' };
      chunks.push(chunk as Buffer);
    }
  } catch {
    return { kind: 'gone' };
  }
  return { kind: 'read', bytes: Buffer.concat(chunks) };
}
