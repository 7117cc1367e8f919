import { createHash } from 'node:crypto';

/** A version: the first 24 hex digits of the SHA-256 over the JSON, so that equal content shares one. */
export function digestOf(seen: unknown): string {
  return createHash('sha256').update(JSON.stringify(seen)).digest('hex').slice(0, 24);
}
