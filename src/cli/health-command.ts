import { hostname } from 'node:os';
import type { Command } from 'commander';
import { processHealth } from '../read/status/processes.ts';
import { say, withContext } from './session.ts';

/** `tidemark health`: for a supervisor that can run a command, where a process has no port to ask. */
export function addHealth(program: Command): void {
  program.command('health').action(() =>
    withContext(async ({ db, now }) => {
      const own = (await processHealth(db, now)).filter(({ host }) => host === hostname());
      if (own.length === 0) say('No process of this machine has a heartbeat');
      for (const { role, about, pid, problems } of own) {
        for (const problem of problems) say(`${[role, about].join(' ').trim()} (process ${pid}): ${problem}`);
      }
      if (own.length === 0 || own.some(({ isReady }) => !isReady)) process.exitCode = 1;
    }),
  );
}
