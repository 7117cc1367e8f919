import { isIP } from 'node:net';

/**
 * What counts as one client in a rate limit: an IPv4 address, or the first 64 bits of an IPv6 one,
 * since a client has all addresses below them.
 */
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

/** An IPv4 tail stands for two groups; it is never among the first four. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
