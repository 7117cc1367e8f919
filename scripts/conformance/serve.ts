import type { Config } from '../../src/config.ts';
import { freePort } from '../../src/embedded/port.ts';
import { serveApi } from '../corpus/serve-api.ts';
import { openKeyProxy } from './key-proxy.ts';

export type Served = { readonly url: string; readonly close: () => Promise<void> };

/** The API without filings, behind a proxy that adds a key; in this process. */
export async function serveEmpty(config: Config): Promise<Served> {
  const proxyPort = await freePort();
  const siteUrl = `http://localhost:${proxyPort}`;
  const api = await serveApi(config, { siteUrl });
  const proxy = await openKeyProxy(proxyPort, api.port, await api.newKey('Conformance', 1_000));
  const close = async (): Promise<void> => {
    await proxy.close();
    await api.close();
  };
  return { url: `${siteUrl}/mcp`, close };
}
