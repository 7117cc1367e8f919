import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Script = (request: IncomingMessage, response: ServerResponse, count: number) => void;

export type ScriptedServer = {
  readonly url: string;
  /** The time of each request in milliseconds. */
  readonly arrivals: readonly number[];
  readonly requests: readonly { readonly url: string; readonly headers: IncomingMessage['headers'] }[];
  /** Replaces the script; counts start again. */
  readonly play: (script: Script) => void;
  readonly close: () => Promise<void>;
};

/** An EDGAR that misbehaves on purpose: a script answers each request, byte by byte if needed. */
export async function scriptedServer(): Promise<ScriptedServer> {
  const arrivals: number[] = [];
  const requests: { url: string; headers: IncomingMessage['headers'] }[] = [];
  let script: Script = (_, response) => response.writeHead(404).end();
  let count = 0;
  const server = createServer((request, response) => {
    arrivals.push(performance.now());
    requests.push({ url: request.url ?? '', headers: request.headers });
    count += 1;
    script(request, response, count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    requests,
    play: (next) => {
      script = next;
      count = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
