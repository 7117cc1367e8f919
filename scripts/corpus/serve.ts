import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import type { Services } from '../../src/embedded/open.ts';
import { type ServedApi, serveApi } from './serve-api.ts';

const run = promisify(execFile);
const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
/** The day of the endpoints' examples. */
const AS_OF = '2018-11-30';

/** Serves the bundled filings. A `config.home` that already has the filings of the day is served at once. */
export function serveCorpus(config: Config, siteUrl?: string): Promise<ServedApi> {
  return serveApi(config, { siteUrl, fill: ingest });
}

async function ingest({ config, db }: Context, services: Services): Promise<void> {
  const status = await pipelineStatus(db);
  if (status.done && status.as_of === AS_OF && status.briefs > 0) return;
  console.error(`Ingesting the bundled filings as of ${AS_OF} …`);
  const env = {
    ...process.env,
    TIDEMARK_HOME: config.home,
    MONGO_URL: services.mongoUrl,
    CREDITS_REDIS_URL: services.creditsRedisUrl,
    QUEUE_REDIS_URL: services.queueRedisUrl,
  };
  const { stdout } = await run(process.execPath, [TIDEMARK, 'replay', CORPUS, '--as-of', AS_OF], { env });
  console.error(stdout.trim());
}
