/** Most characters of a key's label. */
export const MAX_LABEL = 60;

/** What a key is for, as it is kept; null when it is too long or has characters that show nothing. */
export function readLabel(text: string): string | null {
  const label = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  return [...label].length <= MAX_LABEL && !/[\p{C}\p{Zl}\p{Zp}]/u.test(label) ? label : null;
}

export const LABEL_RULE = `A label has at most ${MAX_LABEL} characters.`;
