import { hostname } from 'node:os';
import type { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { openMongo } from '../mongo.ts';
import { processHealth } from '../read/status/processes.ts';
import { say, withServices } from './session.ts';

/** `tidemark health`: for a supervisor that can run a command, where a process has no port to ask. */
export function addHealth(program: Command): void {
  program.command('health').action(async () => {
    const config = loadConfig();
    const own = await withServices(config, async ({ mongoUrl }) => {
      const { db, client } = await openMongo(mongoUrl, config.mongoDb);
      const all = await processHealth(db, () => new Date()).finally(() => client.close());
      return all.filter(({ host }) => host === hostname());
    });
    if (own.length === 0) say('No process of this machine has a heartbeat');
    for (const { role, about, pid, problems } of own) {
      for (const problem of problems) say(`${[role, about].join(' ').trim()} (process ${pid}): ${problem}`);
    }
    if (own.length === 0 || own.some(({ isReady }) => !isReady)) process.exitCode = 1;
  });
}
