import { lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { UsageError } from '../../errors.ts';

/** Networks that a public EDGAR host can never be in: private, loopback, link-local, documentation, reserved. */
const RESERVED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Relays of 6to4.
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
/** Within the global unicast block: protocols such as Teredo, documentation, 6to4, documentation. */
const RESERVED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const RESERVED = new BlockList();
for (const [net, bits] of RESERVED_IPV4) RESERVED.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of RESERVED_IPV6) RESERVED.addSubnet(net, bits, 'ipv6');
/** IPv6 outside of it is local, mapped, translated or unassigned. */
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !RESERVED.check(address, 'ipv4');
  return family === 6 && GLOBAL_UNICAST.check(address, 'ipv6') && !RESERVED.check(address, 'ipv6');
}

export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * The configured base, checked once: HTTPS, or plain HTTP on a loopback host for a local EDGAR.
 * Throws a {@link UsageError} that names the setting.
 */
export function edgarBase(baseUrl: string): URL {
  const base = new URL(baseUrl);
  if (base.username !== '' || base.password !== '') {
    throw new UsageError('EDGAR_URL must not hold a user name or password');
  }
  if (base.protocol === 'https:' || (base.protocol === 'http:' && isLoopbackHost(base.hostname))) return base;
  throw new UsageError(`EDGAR_URL must be https (plain http only on a loopback host), not ${baseUrl}`);
}

/** The host of EDGAR's JSON: another one at the SEC, the same at any other base. */
export function dataBase(base: URL): URL {
  return base.hostname === 'www.sec.gov' ? new URL('https://data.sec.gov') : base;
}

/**
 * A name look-up that gives only public addresses to the socket. The checked address is the connected
 * one, so that a name that resolves differently later cannot reach a private network (rule 10.3).
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolveName(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '', 0);
    const allowed = found.filter((entry) => isPublicAddress(entry.address));
    const [first] = allowed;
    if (!first) return callback(new Error(`${hostname} resolves to no public address`), '', 0);
    if (options.all) return callback(null, allowed);
    return callback(null, first.address, first.family);
  });
};
