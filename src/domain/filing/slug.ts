import type { Cik } from '../ids.ts';

/** `T. Rowe Price & Co., Inc.` is `t-rowe-price-and-co-inc`; accents go, empty when no letter is left. */
export function kebabSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/**
 * The slug for a manager whose plain slug is taken or empty. The suffix is the CIK in base 36:
 * short, and the same whichever manager came first.
 */
export function slugWithSuffix(name: string, cik: Cik): string {
  return `${kebabSlug(name) || 'fund'}-${Number(cik).toString(36)}`;
}

/** The plain slug unless it is empty or another manager has it. */
export function slugOf(name: string, cik: Cik, isTaken: (slug: string) => boolean): string {
  const plain = kebabSlug(name);
  return plain === '' || isTaken(plain) ? slugWithSuffix(name, cik) : plain;
}
