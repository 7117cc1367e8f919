import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const TOOLS = fileURLToPath(new URL('../../tools/', import.meta.url));

type Place = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> };

/** Runs a program in tools/ and shows its output. Returns the exit code, 1 when it could not run. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd = TOOLS, env = {} }: Place = {},
): Promise<number> {
  return new Promise((settle) => {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', (error) => {
      console.error(`${program}: ${error.message}`);
      settle(1);
    });
    child.on('close', (code) => settle(code ?? 1));
  });
}
