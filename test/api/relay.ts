import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to Mongo that can stop passing bytes on while its sockets stay open, as SIGSTOP does. */
export type Relay = { readonly url: string; readonly hang: () => void; readonly cut: () => void };

export async function relayTo(target: URL): Promise<Relay> {
  const sockets: Socket[] = [];
  let isHanging = false;
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(from);
      from.on('data', (chunk) => {
        if (!isHanging) to.write(chunk);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return {
    url: url.href,
    hang: () => {
      isHanging = true;
    },
    cut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
