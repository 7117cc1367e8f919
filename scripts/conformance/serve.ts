import type { Config } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { keyStoreOf } from '../../src/credits/account/key-store.ts';
import { openServices } from '../../src/embedded/open.ts';
import { freePort } from '../../src/embedded/port.ts';
import { startApi } from '../../src/serve.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { openKeyProxy } from './key-proxy.ts';

export type Served = { readonly url: string; readonly close: () => Promise<void> };

/** The API without a filing, behind a door that adds a key; in this process. */
export async function serveAlone(config: Config): Promise<Served> {
  const services = await openServices(config, (line) => console.error(line));
  try {
    const doorPort = await freePort();
    const siteUrl = `http://localhost:${doorPort}`;
    const context = await openContext({ ...config, host: '127.0.0.1', port: 0, siteUrl }, services, 'corpus');
    await ensureIndexes(context.db);
    const api = await startApi(context);
    const { key } = await createKey(await keyStoreOf(context), {
      orgName: 'Conformance',
      credits: 1_000,
      label: 'conformance',
    });
    const door = await openKeyProxy(doorPort, api.port, key);
    const close = async (): Promise<void> => {
      await door.close();
      await api.close();
      await context.close();
      await services.release();
    };
    return { url: `${siteUrl}/mcp`, close };
  } catch (error) {
    await services.release();
    throw error;
  }
}
