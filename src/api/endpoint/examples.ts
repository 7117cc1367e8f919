import { readFileSync } from 'node:fs';

const FOLDER = new URL('../examples/', import.meta.url);

/**
 * A real answer of the endpoint with its `example` arguments, long lists cut short; recorded by
 * `npm run examples`. Null when there is none yet.
 */
export function exampleOf(tool: string): unknown {
  try {
    return JSON.parse(readFileSync(new URL(`${tool}.json`, FOLDER), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
