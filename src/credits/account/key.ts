import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyMode } from '../../store/account/keys.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 8;
const ID_LENGTH = 8;
const MARK_LENGTH = 2;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^tm_(live|test)_[0-9A-Za-z]{46}$/;

/** A new key: prefix, 8 characters of key id, 32 of secret (190 bits), 6 of checksum (rule 12.1). */
export function makeKey(mode: KeyMode = 'live', keyId = randomText(ID_LENGTH)) {
  const body = `tm_${mode}_${keyId}${randomText(SECRET_LENGTH)}`;
  return { key: body + checksumOf(body), keyId };
}

/**
 * A new key id: six random characters and two that follow from them under the pepper. They prove nothing about a
 * caller, but of the ids that a stranger makes up only one in 3,844 looks as if it were ours.
 */
export function newKeyId(pepper: string): string {
  const random = randomText(ID_LENGTH - MARK_LENGTH);
  return random + markOf(random, pepper);
}

/** Whether we may have made a key id, without a look-up. */
export function mayBeOurs(keyId: string, pepper: string): boolean {
  return keyId.endsWith(markOf(keyId.slice(0, -MARK_LENGTH), pepper));
}

function markOf(random: string, pepper: string): string {
  const digest = createHmac('sha256', pepper).update(`key id ${random}`).digest();
  return [...digest.subarray(0, MARK_LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** The key id and the mode of a well-formed key; null when shape or checksum is wrong. Needs no database. */
export function readKey(text: string): { readonly keyId: string; readonly mode: KeyMode } | null {
  const mode = SHAPE.exec(text)?.[1];
  if (mode !== 'live' && mode !== 'test') return null;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  if (checksumOf(body) !== text.slice(-CHECKSUM_LENGTH)) return null;
  return { keyId: text.slice(PREFIX_LENGTH, PREFIX_LENGTH + ID_LENGTH), mode };
}

/** Whether a text contains a key or a part of one, so it must not be stored. */
export function holdsKey(text: string): boolean {
  return /tm_(live|test)_[0-9A-Za-z]{9}/.test(text);
}

/** Stored instead of the key: HMAC-SHA256 under the server's pepper, as hex. */
export function digestOf(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** Compares two secrets of any length in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** CRC32 in base62, most significant digit first, zero-padded to six. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
