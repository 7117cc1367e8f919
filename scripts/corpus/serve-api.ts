import type { Config } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-store.ts';
import { openServices, type Services } from '../../src/embedded/open.ts';
import { freePort } from '../../src/embedded/port.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';

/** The API on a free port, in this process. */
export type ServedApi = {
  readonly port: number;
  readonly origin: string;
  readonly newKey: (orgName: string, credits: number) => Promise<string>;
  readonly close: () => Promise<void>;
};

export type Serving = {
  /** The public address; without it the API's own. */
  readonly siteUrl?: string | undefined;
  /** Fills the database before the API starts. */
  readonly fill?: (context: Context, services: Services) => Promise<void>;
};

export async function serveApi(config: Config, { siteUrl, fill }: Serving): Promise<ServedApi> {
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
