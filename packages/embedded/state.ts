import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from './json-file.ts';
import { processMark } from './process.ts';

const running = processMark.extend({ port: z.number().int() });
const stateFile = z.object({
  /** Where this home keeps its data. It never changes, so a second run finds its data. */
  kind: z.enum(['embedded', 'docker']).optional(),
  /** Docker only: containers that already ran are not stopped. */
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

/** An absent or unreadable file is an empty state; its services are then started again. */
export function readState(home: string): State {
  return stateFile.safeParse(readJson(statePath(home))).data ?? {};
}

export function writeState(home: string, state: State): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${statePath(home)}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(draft, statePath(home));
}
