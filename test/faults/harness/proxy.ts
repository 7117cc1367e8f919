import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a proxy does to what passes through it. Both ways where nothing else is said. */
export type Fault = {
  /** Each piece arrives so much later. */
  readonly delayMs?: number;
  /** Nothing passes, and the sockets stay open, as after SIGSTOP. */
  readonly hangs?: boolean;
  /**
   * Asked for each piece of a reply. When true, the connection ends instead: the server has done what it
   * was asked to, and the client does not learn of it.
   */
  readonly dropsReply?: (reply: Buffer) => boolean;
};

/** A way to a service of which a test decides what passes. */
export type Proxy = {
  readonly url: string;
  /** Replaces the fault; `{}` heals. What a hanging proxy got before is lost. */
  readonly play: (fault: Fault) => void;
  /** Nothing passes on the connections that are open now, and neither end learns of it; new ones are whole. */
  readonly loseRoutes: () => void;
  /** Ends every open connection; new ones are accepted. */
  readonly cut: () => void;
  readonly close: () => void;
};

/** @param target the URL of a MongoDB or a Redis */
export async function proxyTo(target: URL): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  let fault: Fault = {};
  const server: Server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const faultNow = (): Fault => (lost.has(near) ? { hangs: true } : fault);
    pass(near, far, () => ({ ...faultNow(), dropsReply: undefined }));
    pass(far, near, faultNow);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: throughPort(target, (server.address() as AddressInfo).port),
    play: (next) => {
      fault = next;
    },
    loseRoutes: () => {
      for (const socket of sockets) lost.add(socket);
    },
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
}

type Played = Omit<Fault, 'dropsReply'> & { readonly dropsReply?: Fault['dropsReply'] | undefined };

/** Pieces keep their order: each waits for the one before it. */
function pass(from: Socket, to: Socket, faultNow: () => Played): void {
  let last = Promise.resolve();
  from.on('data', (piece) => {
    const { delayMs = 0, hangs = false, dropsReply } = faultNow();
    if (hangs) return;
    if (dropsReply?.(piece)) {
      from.destroy();
      to.destroy();
      return;
    }
    if (delayMs === 0) {
      last = last.then(() => void to.write(piece));
      return;
    }
    const due = sleep(delayMs, undefined, { ref: false });
    last = last.then(() => due).then(() => void to.write(piece));
  });
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

function throughPort(target: URL, port: number): string {
  const url = new URL(target);
  url.port = String(port);
  if (url.protocol !== 'mongodb:') return url.href;
  // Else the driver would go to the members of the set, around the proxy.
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  return url.href;
}
