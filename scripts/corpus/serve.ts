import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Config } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-store.ts';
import { pipelineStatus } from '../../src/derive/corpus/status.ts';
import { openServices, type Services } from '../../src/embedded/open.ts';
import { freePort } from '../../src/embedded/port.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';

const run = promisify(execFile);
const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
/** The day that the endpoints' examples are of. */
export const AS_OF = '2018-11-30';

/** The API over the bundled filings, in this process. */
export type ServedCorpus = {
  readonly origin: string;
  readonly newKey: (orgName: string, credits: number) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** `config.home` keeps the data: a home that has the filings of the day is served at once. */
export async function serveCorpus(
  config: Config,
  report: (line: string) => void,
  siteUrl?: string,
): Promise<ServedCorpus> {
  const services = await openServices(config, report);
  try {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const settings = { ...config, host: '127.0.0.1', port, siteUrl: siteUrl ?? origin };
    const context = await openContext(settings, services, 'corpus');
    await ingest(config, services, { context, report });
    const api = await startApi(context);
    const store = await keyStoreOf(context);
    return {
      origin,
      newKey: async (orgName, credits) => (await createKey(store, { orgName, credits, label: 'corpus' })).key,
      close: async () => {
        await api.close();
        await context.close();
        await services.release();
      },
    };
  } catch (error) {
    await services.release();
    throw error;
  }
}

type Ingesting = { readonly context: Context; readonly report: (line: string) => void };

async function ingest(config: Config, services: Services, { context, report }: Ingesting): Promise<void> {
  await ensureIndexes(context.db);
  const status = await pipelineStatus(context.db);
  if (status.done && status.as_of === AS_OF && status.briefs > 0) return;
  report(`Ingesting the bundled filings as of ${AS_OF} …`);
  const env = {
    ...process.env,
    TIDEMARK_HOME: config.home,
    MONGO_URL: services.mongoUrl,
    CREDITS_REDIS_URL: services.creditsRedisUrl,
    QUEUE_REDIS_URL: services.queueRedisUrl,
  };
  const { stdout } = await run(process.execPath, [TIDEMARK, 'replay', CORPUS, '--as-of', AS_OF], { env });
  report(stdout.trim());
}
