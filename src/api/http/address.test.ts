import { expect, test } from 'vitest';
import { addressBlock } from './address.ts';

test('an IPv4 address is its own block in every spelling', () => {
  expect(addressBlock('203.0.113.7')).toBe('203.0.113.7');
  expect(addressBlock('::ffff:203.0.113.7')).toBe('203.0.113.7');
});

test('IPv6 addresses of one network are one block', () => {
  for (const address of ['2001:db8:0:1::1', '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:1::']) {
    expect(addressBlock(address)).toBe('2001:db8:0:1::/64');
  }
  expect(addressBlock('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(addressBlock('::1')).toBe('0:0:0:0::/64');
  expect(addressBlock('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  expect(addressBlock('64:ff9b::203.0.113.7')).toBe('64:ff9b:0:0::/64');
});

test('other text is shortened', () => {
  expect(addressBlock('x'.repeat(500))).toHaveLength(64);
});
