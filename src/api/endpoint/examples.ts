import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recordedBrief = z.object({ data: z.object({ brief_id: z.string() }) });

/** The arguments of a brief that the bundled filings give. Read at each use: its id changes with the rules. */
export const EXAMPLE_BRIEF = {
  get brief_id(): string {
    return recordedBrief.parse(exampleOf('capital_change_brief')).data.brief_id;
  },
};

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
