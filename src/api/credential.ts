import type { IncomingMessage } from 'node:http';
import type { Presented } from '../credits/gate.ts';
import { digestOf, readKey } from '../credits/key.ts';

export type ReadCredential =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'presented'; readonly presented: Presented };

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Reads `Authorization: Bearer <key>`, the scheme in any case. Two such headers are no credential:
 * it would depend on the proxy which one counts. A wrong checksum needs no look-up.
 */
export function readCredential(req: IncomingMessage, pepper: string): ReadCredential {
  const header = req.headers.authorization;
  if (header === undefined || header === '') return { kind: 'missing' };
  const token = BEARER.exec(header)?.[1];
  if (token === undefined || isRepeated(req, 'authorization')) return { kind: 'invalid' };
  const known = readKey(token);
  if (known === null) return { kind: 'invalid' };
  return { kind: 'presented', presented: { keyId: known.keyId, digest: digestOf(token, pepper) } };
}

function isRepeated(req: IncomingMessage, name: string): boolean {
  const raw = req.rawHeaders;
  let seen = 0;
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.length === name.length && raw[at]?.toLowerCase() === name) seen += 1;
  }
  return seen > 1;
}
