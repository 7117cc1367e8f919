import type { Config } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';
import { freePort, freePortFrom, isFree } from '../services/port.ts';

export type DemoPorts = { readonly api: number; readonly board: number; readonly edgar: number };

/**
 * A port that was asked for is taken or named in the error; the others are chosen around what is
 * busy, from their usual numbers upward.
 */
export async function choosePorts(config: Config, env: NodeJS.ProcessEnv): Promise<DemoPorts> {
  const api = await choose('PORT', config.port, { env, host: config.host, taken: new Set() });
  const board = await choose('BOARD_PORT', config.boardPort, {
    env,
    host: config.host,
    taken: new Set([api]),
  });
  return { api, board, edgar: await freePort() };
}

type Around = { readonly env: NodeJS.ProcessEnv; readonly host: string; readonly taken: ReadonlySet<number> };

async function choose(name: string, wanted: number, { env, host, taken }: Around): Promise<number> {
  if (!env[name]) return freePortFrom(wanted, taken);
  if (wanted === 0) return freePort();
  if (!taken.has(wanted) && (await isFree(wanted, host))) return wanted;
  throw new UsageError(`Port ${wanted} (${name}) is busy. Give another, or leave ${name} out.`);
}
