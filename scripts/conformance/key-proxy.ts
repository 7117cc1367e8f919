import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export type KeyProxy = { readonly close: () => Promise<void> };

/**
 * Forwards everything to the API and adds a key, because the suite sends none. All other headers, also
 * Host and Origin, stay as they are.
 */
export async function openKeyProxy(port: number, apiPort: number, key: string): Promise<KeyProxy> {
  const server = createServer((req, res) => forward(req, res, { apiPort, key }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
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
