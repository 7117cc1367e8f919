import { fileURLToPath } from 'node:url';
import { type Config, generatedSecret } from '../../src/config.ts';
import type { Services } from '../../src/embedded/open.ts';
import type { DemoPorts } from './ports.ts';

/** Full submissions of the SEC with their provenance, bundled with the project. */
const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
/** Earlier than every filing of EDGAR, so the demo reads the whole corpus up to its as-of date. */
const EVERYTHING = '1993-01-01';

/** The settings of one demo and its processes. */
export type Setting = {
  readonly corpus: string;
  /** Where a process on this machine reaches the API and the dashboards. */
  readonly apiUrl: string;
  readonly boardUrl: string;
  readonly boardPassword: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Found = { readonly config: Config; readonly services: Services; readonly ports: DemoPorts };

export function settle({ config, services, ports }: Found, env: NodeJS.ProcessEnv): Setting {
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
