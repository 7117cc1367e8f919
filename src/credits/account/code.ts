import { createHmac, randomBytes } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;
const SHAPE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Codes for credits, by an operator. */
export const VOUCHER = codes('TMV', 'voucher');

/** Codes that open an account whose keys are lost. */
export const RECOVERY = codes('TMR', 'recovery');

/** @param purpose keeps the digests of two kinds of codes apart */
function codes(prefix: string, purpose: string) {
  return {
    /** A new code: the prefix and 16 characters of five random bits each, in groups of four. */
    make(): string {
      const characters = [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length));
      return `${prefix}-${(characters.join('').match(/.{4}/g) ?? []).join('-')}`;
    },
    /**
     * The 16 characters of a code as typed by a person: in either case, with or without prefix, dashes and
     * spaces, O for 0 and I or L for 1. Null for any other text.
     */
    read(text: string): string | null {
      const typed = text.slice(0, 100).toUpperCase().replace(/[\s-]/g, '');
      // A code may begin like the prefix, so its length decides.
      const isWhole = typed.length === prefix.length + LENGTH && typed.startsWith(prefix);
      const plain = (isWhole ? typed.slice(prefix.length) : typed).replace(/O/g, '0').replace(/[IL]/g, '1');
      return SHAPE.test(plain) ? plain : null;
    },
    /** Stored instead of the code: HMAC-SHA256 of the 16 characters under the server's pepper, as hex. */
    digest: (characters: string, pepper: string): string =>
      createHmac('sha256', pepper).update(`${purpose}:${characters}`).digest('hex'),
  } as const;
}
