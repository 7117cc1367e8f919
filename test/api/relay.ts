import { proxyTo } from '../faults/harness/proxy.ts';

/** A way to Mongo that can stop passing bytes on while its sockets stay open, as SIGSTOP does, or pass them on late. */
export type Relay = {
  readonly url: string;
  readonly hang: () => void;
  /** From now on each piece arrives so much later. */
  readonly delay: (ms: number) => void;
  readonly cut: () => void;
};

export async function relayTo(target: URL): Promise<Relay> {
  const proxy = await proxyTo(target);
  return {
    url: proxy.url,
    hang: () => proxy.play({ hangs: true }),
    delay: (delayMs) => proxy.play({ delayMs }),
    cut: proxy.close,
  };
}
