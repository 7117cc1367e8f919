import { createHmac, randomBytes } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** A new code: `TMV-` and 16 characters of five random bits each, in groups of four. */
export function makeVoucherCode(): string {
  const characters = [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
  return `TMV-${(characters.join('').match(/.{4}/g) ?? []).join('-')}`;
}

/**
 * The 16 characters of a code as typed by a person: in either case, with or without prefix, dashes and
 * spaces, O for 0 and I or L for 1. Null for any other text.
 */
export function readVoucherCode(text: string): string | null {
  const plain = text
    .slice(0, 100)
    .toUpperCase()
    .replace(/[\s-]/g, '')
    .replace(/^TMV(?=.{16}$)/, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return SHAPE.test(plain) ? plain : null;
}

/** Stored instead of the code: HMAC-SHA256 under the server's pepper, as hex. */
export function voucherDigest(code: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`voucher:${code}`).digest('hex');
}
