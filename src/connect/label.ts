import { holdsKey } from '../credits/account/key.ts';

/** Most characters of a key's label. */
export const MAX_LABEL = 60;

/**
 * What a key is for, as it is kept; null when it is too long, has characters that show nothing, or
 * holds a key, which must be kept nowhere.
 */
export function readLabel(text: string): string | null {
  const label = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const isShown = !/[\p{C}\p{Zl}\p{Zp}]/u.test(label);
  return [...label].length <= MAX_LABEL && isShown && !holdsKey(label) ? label : null;
}

export const LABEL_RULE = `A label has at most ${MAX_LABEL} characters, and is no key.`;
