import { proxyTo } from '../faults/harness/proxy.ts';

/** A way to Mongo that can stop passing bytes on while its sockets stay open, as SIGSTOP does. */
export type Relay = { readonly url: string; readonly hang: () => void; readonly cut: () => void };

export async function relayTo(target: URL): Promise<Relay> {
  const proxy = await proxyTo(target);
  return { url: proxy.url, hang: () => proxy.play({ hangs: true }), cut: proxy.close };
}
