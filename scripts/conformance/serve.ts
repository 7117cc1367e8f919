import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { freePort } from '../../packages/embedded/port.ts';
import type { Config } from '../../src/config.ts';
import { serveApi } from '../corpus/serve.ts';

/** The API without filings, behind a proxy that adds a key; in this process. */
export async function serveEmpty(config: Config) {
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

/**
 * Forwards everything to the API and adds a key, because the suite sends none. All other headers, also
 * Host and Origin, stay as they are.
 */
async function openKeyProxy(port: number, apiPort: number, key: string) {
  const server = createServer((req, res) => forward(req, res, { apiPort, key }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Target = { readonly apiPort: number; readonly key: string };

function forward(req: IncomingMessage, res: ServerResponse, { apiPort, key }: Target): void {
  const { method, url: path } = req;
  const headers = { ...req.headers, authorization: `Bearer ${key}` };
  const passed = request({ host: '127.0.0.1', port: apiPort, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  passed.on('error', () => res.destroy());
  req.pipe(passed);
}
