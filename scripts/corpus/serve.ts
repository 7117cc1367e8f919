import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openServices, type Services } from '../../packages/embedded/open.ts';
import { freePort } from '../../packages/embedded/port.ts';
import { type Config, environmentWith } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-record.ts';
import { pipelineProgress } from '../../src/derive/corpus/progress.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';

const run = promisify(execFile);
const TIDEMARK = fileURLToPath(new URL('../tidemark.mjs', import.meta.url));
const CORPUS = fileURLToPath(new URL('../../demo/quarter', import.meta.url));
/** The day of the endpoints' examples. */
const AS_OF = '2023-05-31';

/** Serves the bundled filings. A `config.home` that already has the filings of the day is served at once. */
export function serveCorpus(
  config: Config,
  siteUrl?: string,
  { folder = CORPUS, day = AS_OF } = {},
): Promise<ServedApi> {
  return serveApi(config, { siteUrl, fill: (context, services) => ingest(context, services, folder, day) });
}

async function ingest(
  { config, db }: Context,
  services: Services,
  folder: string,
  day: string,
): Promise<void> {
  const status = await pipelineProgress(db);
  if (status.done && status.as_of === day && status.briefs > 0) return;
  console.error(`Ingesting the bundled filings as of ${day} …`);
  const env = { ...environmentWith(services), TIDEMARK_HOME: config.home };
  const replay = run(process.execPath, [TIDEMARK, 'replay', folder, '--as-of', day], { env });
  const end = (): void => void replay.child.kill();
  process.on('exit', end);
  const { stdout } = await replay.finally(() => process.off('exit', end));
  console.error(stdout.trim());
}

export type ServedApi = Awaited<ReturnType<typeof serveApi>>;

type Serving = {
  /** The public address; without it the API's own. */
  readonly siteUrl?: string | undefined;
  /** Fills the database before the API starts. */
  readonly fill?: (context: Context, services: Services) => Promise<void>;
};

/** The API on a free port, in this process. */
export async function serveApi(config: Config, { siteUrl, fill }: Serving) {
  const services = await openServices(config, (line) => console.error(line));
  try {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const settings = { ...config, host: '127.0.0.1', port, siteUrl: siteUrl ?? origin };
    const context = await openContext(settings, services, 'corpus');
    await ensureIndexes(context.db);
    await fill?.(context, services);
    const api = await startApi(context);
    const store = await keyStoreOf(context);
    return {
      port,
      origin,
      newKey: async (orgName: string, credits: number, mode: 'live' | 'test' = 'live') =>
        (await createKey(store, { orgName, credits, label: 'corpus', mode })).key,
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
