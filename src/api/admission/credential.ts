import type { IncomingMessage } from 'node:http';
import type { Presented } from '../../credits/account/gate.ts';
import { digestOf, readKey } from '../../credits/account/key.ts';
import { timesIn } from '../http/limits.ts';
import type { Unsent } from '../http/problem.ts';

type ReadCredential =
  | { readonly kind: 'missing' }
  | { readonly kind: 'invalid'; readonly why: 'repeated' | 'other_scheme' | 'wrong_key' }
  | { readonly kind: 'presented'; readonly presented: Presented };

const BEARER = /^bearer +(\S+) *$/i;

/**
 * Reads `Authorization: Bearer <key>`, the scheme in any case. Two such headers are not valid, because
 * proxies differ in which one they use. A wrong checksum needs no look-up.
 */
export function credentialReader(pepper: string) {
  return (req: IncomingMessage): ReadCredential => {
    const header = req.headers.authorization;
    if (header === undefined || header === '') return { kind: 'missing' };
    if (timesIn(req.rawHeaders, 'authorization') > 1) return { kind: 'invalid', why: 'repeated' };
    return readHeader(header, pepper);
  };
}

function readHeader(header: string, pepper: string): ReadCredential {
  const token = BEARER.exec(header)?.[1];
  const key = token === undefined ? null : readKey(token);
  if (token === undefined) return { kind: 'invalid', why: 'other_scheme' };
  if (key === null) return { kind: 'invalid', why: 'wrong_key' };
  return { kind: 'presented', presented: { ...key, digest: digestOf(token, pepper) } };
}

/** Headers in which other services take a key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'apikey', 'x-auth-token', 'x-access-token', 'x-key', 'token'];
const KEY_IN_URL = /tm(_|%(25)*5f)(live|test)/i;

/** What was sent in place of a valid key, so that a 401 can say what to change. */
export function unsentKey(req: IncomingMessage, read: ReadCredential): Unsent {
  if (read.kind === 'invalid') return read.why;
  const header = OTHER_HEADERS.find((name) => req.headers[name] !== undefined);
  if (header !== undefined) return { header: nameAsSent(req.rawHeaders, header) };
  return KEY_IN_URL.test(req.url ?? '') ? 'in_url' : 'nothing';
}

function nameAsSent(rawHeaders: readonly string[], name: string): string {
  return rawHeaders.find((given, at) => at % 2 === 0 && given.toLowerCase() === name) ?? name;
}
