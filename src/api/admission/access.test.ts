import { describe, expect, test } from 'vitest';
import { accessOf } from './access.ts';

const PUBLIC = accessOf({
  siteUrl: 'https://tidemark.test',
  allowedHosts: ['inner.test:8080', 'balancer.test'],
  allowedOrigins: ['https://app.test/'],
});
const LOCAL = accessOf({ siteUrl: 'http://localhost:8080', allowedHosts: [], allowedOrigins: [] });

describe('a public site', () => {
  test.each([
    'tidemark.test',
    'TIDEMARK.test',
    'tidemark.test:443',
    'inner.test:8080',
    'balancer.test',
    'balancer.test:9000',
  ])('has the Host %s', (host) => {
    expect(PUBLIC.allowsHost(host, 8080)).toBe(true);
  });

  test.each([
    undefined,
    '',
    'evil.test',
    'tidemark.test.evil.test',
    'tidemark.test:8080',
    'inner.test',
    'localhost:8080',
    '127.0.0.1:8080',
    'evil.test@tidemark.test',
    'tidemark.test/..',
    'tidemark.test, evil.test',
  ])('refuses the Host %s', (host) => {
    expect(PUBLIC.allowsHost(host, 8080)).toBe(false);
  });

  test.each([undefined, 'https://tidemark.test', 'https://app.test'])('accepts the Origin %s', (origin) => {
    expect(PUBLIC.allowsOrigin(origin, 8080)).toBe(true);
  });

  test.each([
    '',
    'null',
    'http://tidemark.test',
    'https://tidemark.test:8443',
    'https://evil.test',
    'https://tidemark.test.evil.test',
    'http://localhost:8080',
    'chrome-extension://abc',
    'file://',
  ])('refuses the Origin %j', (origin) => {
    expect(PUBLIC.allowsOrigin(origin, 8080)).toBe(false);
  });
});

describe('a site on the loopback', () => {
  test.each(['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'localhost:41000', '127.0.0.1:41000'])(
    'has the name %s, on its own port or the served one',
    (host) => {
      expect(LOCAL.allowsHost(host, 41_000)).toBe(true);
      expect(LOCAL.allowsOrigin(`http://${host}`, 41_000)).toBe(true);
    },
  );

  test.each(['localhost', 'localhost:9999', 'evil.test:8080', '127.0.0.2:8080'])('refuses %s', (host) => {
    expect(LOCAL.allowsHost(host, 41_000)).toBe(false);
    expect(LOCAL.allowsOrigin(`http://${host}`, 41_000)).toBe(false);
  });
});

test.each(['tidemark.test', '203.0.113.7', '10.0.0.5:8080', '[2001:db8::1]:8080', '127.0.0.1:8080'])(
  'a visitor may come by the name or an address: %s',
  (host) => {
    expect(PUBLIC.allowsVisit(host, 8080)).toBe(true);
  },
);

test.each([undefined, '', 'evil.test', 'evil.test:8080', 'localhost', '1.2.3.4.evil.test', '1.2.3', '[x]'])(
  'a visitor may not come by %s, which anyone can point at this address',
  (host) => {
    expect(PUBLIC.allowsVisit(host, 8080)).toBe(false);
  },
);
