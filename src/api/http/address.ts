import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * What counts as one client in a limit. It is the address that the `hops`-th proxy from the right saw:
 * each of our proxies appends to `X-Forwarded-For`, and the client wrote what stands further left. With
 * 0 hops, or a shorter header, it is the peer of the socket.
 */
export function clientBlock(req: IncomingMessage, hops: number): string {
  const header = req.headers['x-forwarded-for'];
  const seen = (typeof header === 'string' ? header : '').split(',').map((part) => part.trim());
  const forwarded = hops === 0 ? undefined : seen.at(-hops);
  return addressBlock(forwarded || (req.socket.remoteAddress ?? ''));
}

/** An IPv4 address, or the first 64 bits of an IPv6 one, because a client owns all addresses below them. */
export function addressBlock(address: string): string {
  const plain = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) !== 6) return plain.slice(0, 64);
  const [head = '', tail = ''] = plain.split('::', 2);
  const first = groupsOf(head);
  const last = groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 tail counts as two groups; it is never among the first four. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
