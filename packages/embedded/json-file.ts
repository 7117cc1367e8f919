import { readFileSync } from 'node:fs';

/** The content of a JSON file; undefined when there is no readable file, null when it is not JSON. */
export function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
