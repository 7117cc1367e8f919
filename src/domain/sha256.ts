import { isAscii } from 'node:buffer';

/**
 * SHA-256 (FIPS 180-4) of the beginning of an ASCII text: the state after its whole blocks of 64 bytes, and
 * the characters after them. Plain JSON, unlike the state of a hash of Node, so it can be stored.
 */
export type HashedStart = {
  readonly state: readonly number[];
  readonly length: number;
  readonly rest: string;
};

const BLOCK = 64;
const PRIMES = primes(64);
/** The first 32 bits of the fractions of the roots of primes. */
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fractionBits(Math.cbrt(prime)));

/** Hashes a text that goes on: about 30 times slower than `node:crypto`, so it is worth it only once. */
export function hashStart(text: string): HashedStart {
  const bytes = asciiOf(text);
  const state = Int32Array.from(INITIAL);
  const hashed = compressAll(state, bytes);
  return { state: [...state], length: bytes.length, rest: text.slice(hashed) };
}

/** Lower-case hex of the hash of the whole text, from its start and the part that follows. */
export function hashAfter(start: HashedStart, text: string): string {
  const state = Int32Array.from(start.state);
  compressAll(state, padded(asciiOf(start.rest + text), start.length + text.length));
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function asciiOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (!isAscii(bytes)) throw new RangeError('not ASCII');
  return bytes;
}

/** The last bytes, a one bit, zeros, and the length of all bytes in bits. */
function padded(last: Buffer, length: number): Buffer {
  const end = Math.ceil((last.length + 9) / BLOCK) * BLOCK;
  const bytes = Buffer.alloc(end);
  last.copy(bytes);
  bytes[last.length] = 0x80;
  bytes.writeBigUInt64BE(BigInt(length) * 8n, end - 8);
  return bytes;
}

/** Takes the whole blocks into the state, and returns how many bytes these are. */
function compressAll(state: Int32Array, bytes: Buffer): number {
  const words = new Int32Array(BLOCK);
  let at = 0;
  for (; at + BLOCK <= bytes.length; at += BLOCK) {
    for (let word = 0; word < 16; word += 1) words[word] = bytes.readInt32BE(at + 4 * word);
    compress(state, words);
  }
  return at;
}

/** One block; the names are those of the standard. */
function compress(state: Int32Array, w: Int32Array): void {
  for (let t = 16; t < BLOCK; t += 1) {
    const [x, y] = [word(w, t - 15), word(w, t - 2)];
    const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    w[t] = word(w, t - 16) + s0 + word(w, t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < BLOCK; t += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + word(CONSTANTS, t) + word(w, t)) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [at, sum] of [a, b, c, d, e, f, g, h].entries()) state[at] = word(state, at) + sum;
}

function word(words: Int32Array, at: number): number {
  return words[at] ?? 0;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionBits(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  }
  return found;
}
