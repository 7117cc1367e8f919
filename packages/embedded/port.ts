import { createServer } from 'node:net';

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === null) throw new Error('no free port on 127.0.0.1');
  return port;
}

export async function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return (await listenOnce(port, host)) !== null;
}

type Around = { readonly host: string; readonly taken: ReadonlySet<number> };

/** The first free port from `first` upward, so a second run next to this one has familiar numbers. */
export async function freePortFrom(first: number, { host, taken }: Around): Promise<number> {
  for (let port = first; port < first + 200; port += 1) {
    if (!taken.has(port) && (await isFree(port, host))) return port;
  }
  return freePort();
}

function listenOnce(port: number, host = '127.0.0.1'): Promise<number | null> {
  return new Promise((settle) => {
    const server = createServer();
    server.once('error', () => settle(null));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const bound = address !== null && typeof address === 'object' ? address.port : null;
      server.close(() => settle(bound));
    });
  });
}
