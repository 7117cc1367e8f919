import { holdsKey } from '../credits/account/key.ts';

/** Maximum characters of a key's label. */
export const MAX_LABEL = 60;

/**
 * The label of a key as it is stored. Null when it is too long, has invisible characters, or contains a
 * key, which must not be stored.
 */
export function readLabel(text: string): string | null {
  const label = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const isShown = !/[\p{C}\p{Zl}\p{Zp}]/u.test(label);
  return [...label].length <= MAX_LABEL && isShown && !holdsKey(label) ? label : null;
}

export const LABEL_RULE = `A label has at most ${MAX_LABEL} characters and is not a key.`;
