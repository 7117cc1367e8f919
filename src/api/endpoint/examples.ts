import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recordedBrief = z.object({ data: z.object({ brief_id: z.string() }) });

/** Arguments with the id of the recorded brief. It is read at each use, because it changes with the rules. */
export function exampleWithBrief(rest: Readonly<Record<string, number>> = {}) {
  return {
    get brief_id(): string {
      return recordedBrief.parse(exampleOf('capital_change_brief')).data.brief_id;
    },
    ...rest,
  };
}

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
