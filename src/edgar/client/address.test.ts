import { describe, expect, it } from 'vitest';
import { edgarBase, isPublicAddress, lookupPublic } from './address.ts';

describe('the address of EDGAR', () => {
  it('is https, or plain http on a loopback host only', () => {
    expect(edgarBase('https://www.sec.gov').hostname).toBe('www.sec.gov');
    expect(edgarBase('http://127.0.0.1:8090').port).toBe('8090');
    expect(edgarBase('http://[::1]:8090').port).toBe('8090');
    for (const url of [
      'http://www.sec.gov',
      'http://10.0.0.5',
      'ftp://www.sec.gov',
      'http://127.0.0.1.evil.com',
    ]) {
      expect(() => edgarBase(url), url).toThrow('EDGAR_URL');
    }
    expect(() => edgarBase('https://user:secret@www.sec.gov')).toThrow('EDGAR_URL');
  });

  it('is never private: loopback, link-local and mapped addresses are refused too', () => {
    const inside = [
      '10.1.2.3',
      '127.0.0.1',
      '169.254.169.254',
      '192.168.0.1',
      '172.31.0.1',
      '::1',
      'fe80::1',
      'fd00::1',
    ];
    for (const address of [...inside, '::ffff:127.0.0.1', '0.0.0.0', 'not-an-address']) {
      expect(isPublicAddress(address), address).toBe(false);
    }
    expect(isPublicAddress('23.22.39.120')).toBe(true);
    expect(isPublicAddress('2600:1408::1')).toBe(true);
  });

  it.each([
    ['6to4', '2002:7f00:1::1', '2002:a00:1::', '192.88.99.1'],
    ['Teredo', '2001:0:4136:e378::1', '2001:0::1'],
    ['translated', '64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '::ffff:8.8.8.8', '::127.0.0.1'],
    ['site-local', 'fec0::1', 'feff::1'],
    ['documentation', '192.0.2.1', '198.51.100.7', '203.0.113.255', '2001:db8::1', '3fff::1'],
    ['shared, discard, unassigned', '100.64.0.1', '100::1', '5f00::1', '240.0.0.1', '255.255.255.255'],
  ])('is never of a reserved network: %s', (_, ...addresses) => {
    for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
  });

  it('is refused when its name resolves to a private address', async () => {
    const failure = new Promise<Error | null>((resolve) => {
      lookupPublic('localhost', { all: true }, (error) => resolve(error));
    });
    expect((await failure)?.message).toBe('localhost resolves to no public address');
  });
});
