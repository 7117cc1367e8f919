import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { processMark } from './process.ts';

const running = processMark.extend({ port: z.number().int() });
const stateFile = z.object({
  /** Where this home keeps its data. It never changes by itself: a second run must find its data again. */
  kind: z.enum(['embedded', 'docker']).optional(),
  /** Docker only: containers that were already up are left up. */
  startedByUs: z.boolean().optional(),
  mongo: running.optional(),
  credits: running.optional(),
  queue: running.optional(),
});

export type Running = z.infer<typeof running>;
export type State = z.infer<typeof stateFile>;

export function statePath(home: string): string {
  return join(home, 'services.json');
}

/** An absent or unreadable file is an empty state: the services it named are found dead or replaced. */
export function readState(home: string): State {
  try {
    return stateFile.parse(JSON.parse(readFileSync(statePath(home), 'utf8')));
  } catch {
    return {};
  }
}

export function writeState(home: string, state: State): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${statePath(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(draft, statePath(home));
}
