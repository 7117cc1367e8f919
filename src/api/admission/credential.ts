import type { IncomingMessage } from 'node:http';
import type { Presented } from '../../credits/account/gate.ts';
import { digestOf, readKey } from '../../credits/account/key.ts';
import { timesIn } from '../http/limits.ts';

type ReadCredential =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'presented'; readonly presented: Presented };

const BEARER = /^bearer +(\S+) *$/i;
const MAX_REMEMBERED = 10_000;
/** Longer than any key with its scheme: padded headers must not fill the memory. */
const MAX_HEADER_LENGTH = 80;

/**
 * Reads `Authorization: Bearer <key>`, the scheme in any case. Two such headers are not valid, because
 * proxies differ in which one they use. A wrong checksum needs no look-up.
 *
 * The digest of a header is remembered in the process, because checksum and HMAC are a tenth of a
 * warm call. It does not prove that the key is valid: each script checks the digest again.
 */
export function credentialReader(pepper: string) {
  const remembered = new Map<string, ReadCredential>();
  return (req: IncomingMessage): ReadCredential => {
    const header = req.headers.authorization;
    if (header === undefined || header === '') return { kind: 'missing' };
    if (timesIn(req.rawHeaders, 'authorization') > 1) return { kind: 'invalid' };
    const known = remembered.get(header);
    if (known !== undefined) return known;
    const read = readHeader(header, pepper);
    if (read.kind !== 'presented' || header.length > MAX_HEADER_LENGTH) return read;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(header, read);
    return read;
  };
}

function readHeader(header: string, pepper: string): ReadCredential {
  const token = BEARER.exec(header)?.[1];
  const key = token === undefined ? null : readKey(token);
  if (token === undefined || key === null) return { kind: 'invalid' };
  return { kind: 'presented', presented: { ...key, digest: digestOf(token, pepper) } };
}
