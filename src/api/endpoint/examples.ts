import { readFileSync } from 'node:fs';

const FOLDER = new URL('../examples/', import.meta.url);

/**
 * A real answer of the endpoint to its `example` arguments, with long lists shortened. Recorded by
 * `npm run examples`; null when there is no recording yet.
 */
export function exampleOf(tool: string): unknown {
  try {
    return JSON.parse(readFileSync(new URL(`${tool}.json`, FOLDER), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
