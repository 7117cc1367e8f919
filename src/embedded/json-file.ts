import { readFileSync } from 'node:fs';

/** The content of a JSON file; null when it is absent or not readable. */
export function readJson(path: string): unknown {
  const text = readText(path);
  return text === null ? null : parsedJson(text);
}

/** The content of a file; null when it is absent or not readable. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Null for a text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
