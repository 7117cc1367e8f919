import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export type KeyProxy = { readonly close: () => Promise<void> };

/**
 * Passes everything on to the API with a key, because the suite sends none; every other header, Host
 * and Origin among them, goes as it came.
 */
export async function openKeyProxy(port: number, apiPort: number, key: string): Promise<KeyProxy> {
  const server = createServer((req, res) => pass(req, res, { apiPort, key }));
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

type Behind = { readonly apiPort: number; readonly key: string };

function pass(req: IncomingMessage, res: ServerResponse, { apiPort, key }: Behind): void {
  const { method, url: path } = req;
  const headers = { ...req.headers, authorization: `Bearer ${key}` };
  const passed = request({ host: '127.0.0.1', port: apiPort, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  passed.on('error', () => res.destroy());
  req.pipe(passed);
}
