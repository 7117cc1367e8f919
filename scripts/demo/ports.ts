import type { Config } from '../../src/config.ts';
import { freePort, freePortFrom, isFree } from '../../src/embedded/port.ts';
import { UsageError } from '../../src/errors.ts';

export type DemoPorts = { readonly api: number; readonly board: number; readonly edgar: number };

/** Throws a UsageError when one port is set for both. 0 is any port. */
export function refuseSamePort({ port, boardPort }: Config, env: NodeJS.ProcessEnv): void {
  if (!env['PORT'] || !env['BOARD_PORT'] || port === 0 || port !== boardPort) return;
  throw new UsageError(`PORT and BOARD_PORT are both ${port}. Give two different ports, or leave one out.`);
}

/**
 * Uses a port that is set, or names it in the error when it is busy. The others are the first free ports
 * from their usual numbers upward.
 */
export async function choosePorts(config: Config, env: NodeJS.ProcessEnv): Promise<DemoPorts> {
  refuseSamePort(config, env);
  const { host } = config;
  const setBoard = env['BOARD_PORT'] ? [config.boardPort] : [];
  const api = await choose('PORT', config.port, { env, host, taken: new Set(setBoard) });
  const board = await choose('BOARD_PORT', config.boardPort, { env, host, taken: new Set([api]) });
  return { api, board, edgar: await freePort() };
}

type Around = { readonly env: NodeJS.ProcessEnv; readonly host: string; readonly taken: ReadonlySet<number> };

async function choose(name: string, wanted: number, { env, host, taken }: Around): Promise<number> {
  if (!env[name]) return freePortFrom(wanted, { host, taken });
  if (wanted === 0) return freePort();
  if (await isFree(wanted, host)) return wanted;
  throw new UsageError(`Port ${wanted} (${name}) is busy. Give another, or leave ${name} out.`);
}
