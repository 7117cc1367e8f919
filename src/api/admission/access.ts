import { isIP } from 'node:net';

/**
 * From where the agent tools and the account pages may be called. A page of another site must not reach them:
 * its name may be pointed at this address, and then the browser takes us for that site (rule 11.9).
 */
export type Access = ReturnType<typeof accessOf>;

type AccessSettings = {
  readonly siteUrl: string;
  /** More names of this service; a name without a port is valid on any port. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
};

const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** A site on the loopback has all names of the loopback, on SITE_URL's port and on the served one. */
export function accessOf({ siteUrl, allowedHosts, allowedOrigins }: AccessSettings) {
  const site = new URL(siteUrl);
  const hosts = allowedHosts.map((host) => host.toLowerCase());
  const origins = new Set([site.origin, ...allowedOrigins.map((origin) => new URL(origin).origin)]);
  const isLoopback = LOOPBACK.includes(site.hostname);
  const isLocal = (url: URL, served: number | undefined): boolean =>
    isLoopback && LOOPBACK.includes(url.hostname) && [portOf(site), served].includes(portOf(url));
  const allowsHost = (host: string | undefined, port: number | undefined): boolean => {
    if (host === undefined || !HOST.test(host)) return false;
    const url = parsed(`${site.protocol}//${host}`);
    if (url === null) return false;
    if (url.host === site.host || isLocal(url, port)) return true;
    return hosts.includes(url.host) || hosts.includes(url.hostname) || hosts.includes(host.toLowerCase());
  };
  return {
    /** @param port of the socket that received the request */
    allowsHost,
    /** The same for a person's browser, which may also come by an address: nobody can point that elsewhere. */
    allowsVisit: (host: string | undefined, port: number | undefined): boolean =>
      allowsHost(host, port) || (host !== undefined && isAddress(host)),
    allowsOrigin(origin: string | undefined, port: number | undefined): boolean {
      // A request without `Origin` does not come from a page.
      if (origin === undefined) return true;
      const url = parsed(origin);
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
      return origins.has(url.origin) || (url.protocol === site.protocol && isLocal(url, port));
    },
  };
}

function isAddress(host: string): boolean {
  const name = HOST.test(host) ? host.replace(/:\d{1,5}$/, '') : '';
  return isIP(name.replace(/^\[|\]$/g, '')) > 0;
}

function parsed(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}
