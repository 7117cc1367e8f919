import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { main } from '../../src/cli.ts';
import type { World } from '../world.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

export type Run = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** The operator's command as a process of its own, for what only a process shows: all that it prints. */
export function runProcess(world: World, ...args: string[]): Promise<Run> {
  return new Promise((settle) => {
    const env = { ...process.env, ...world.env };
    execFile(process.execPath, [TIDEMARK, ...args], { env }, (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The same command in this process, a second sooner. One at a time: it borrows environment and output. */
export async function tidemark(world: World, ...args: string[]): Promise<Run> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text;
      return true;
    }),
  );
  for (const [name, value] of Object.entries(world.env)) vi.stubEnv(name, value);
  try {
    const code = await main(args);
    return { code, ...printed };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  }
}
