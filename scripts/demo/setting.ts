import { fileURLToPath } from 'node:url';
import type { Services } from '../../packages/embedded/open.ts';
import { freePort, freePortFrom, isFree } from '../../packages/embedded/port.ts';
import { type Config, generatedSecret } from '../../src/config.ts';
import { UsageError } from '../../src/errors.ts';

/** Full submissions of the SEC with their provenance, bundled with the project. */
const CORPUS = fileURLToPath(new URL('../../demo/quarter', import.meta.url));
/** Earlier than every filing of EDGAR, so the demo reads the whole corpus up to its as-of date. */
const EVERYTHING = '1993-01-01';

type Found = {
  readonly config: Config;
  readonly services: Services;
  readonly ports: Awaited<ReturnType<typeof choosePorts>>;
};

/** The settings of one demo and its processes. The URLs are where a process on this machine reaches them. */
export function settle({ config, services, ports }: Found, env: NodeJS.ProcessEnv) {
  const host = reachable(config.host);
  const boardPassword = config.boardPassword ?? generatedSecret();
  const apiUrl = `http://${host}:${ports.api}`;
  return {
    corpus: CORPUS,
    apiUrl,
    boardUrl: `http://${host}:${ports.board}/`,
    boardPassword,
    env: {
      ...env,
      TIDEMARK_HOME: config.home,
      MONGO_URL: services.mongoUrl,
      CREDITS_REDIS_URL: services.creditsRedisUrl,
      QUEUE_REDIS_URL: services.queueRedisUrl,
      TIDEMARK_AS_OF: config.asOf,
      PORT: String(ports.api),
      BOARD_PORT: String(ports.board),
      BOARD_PASSWORD: boardPassword,
      SITE_URL: env['SITE_URL'] || apiUrl,
      EDGAR_URL: `http://127.0.0.1:${ports.edgar}`,
      EDGAR_USER_AGENT: env['EDGAR_USER_AGENT'] || 'Tidemark demo demo@example.com',
      // Requests go only to the local EDGAR, so the SEC's limit does not apply.
      EDGAR_REQUESTS_PER_SECOND: env['EDGAR_REQUESTS_PER_SECOND'] || '1000',
      BACKFILL_FROM: EVERYTHING,
      BRIEF_DEBOUNCE_MS: env['BRIEF_DEBOUNCE_MS'] || '500',
    },
  };
}

/** A wildcard address is only for listening. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

/** Throws a UsageError when one port is set for both. 0 is any port. */
function refuseSamePort({ port, boardPort }: Config, env: NodeJS.ProcessEnv): void {
  if (!env['PORT'] || !env['BOARD_PORT'] || port === 0 || port !== boardPort) return;
  throw new UsageError(`PORT and BOARD_PORT are both ${port}. Give two different ports, or leave one out.`);
}

/**
 * Uses a port that is set, or names it in the error when it is busy. The others are the first free ports
 * from their usual numbers upward.
 */
export async function choosePorts(config: Config, env: NodeJS.ProcessEnv) {
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
