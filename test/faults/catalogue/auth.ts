/** A: keys and accounts. I: injection. */
export const AUTH = {
  A01: {
    what: 'No key, another scheme, two headers',
    pass: '401 with WWW-Authenticate; the scheme in any case',
    files: ['test/api/request.test.ts'],
  },
  A02: {
    what: 'Unknown ids and wrong secrets',
    pass: '401, not to be told apart',
    files: ['test/api/strangers.test.ts'],
    unproven: 'by the answer and the work that it takes; times were not compared',
  },
  A03: {
    what: 'A revoked key',
    pass: '401 within five seconds everywhere',
    files: ['test/api/revoked.test.ts', 'test/connect/restored.test.ts'],
  },
  A04: {
    what: 'A rotated key',
    pass: 'works in the overlap and not after',
    files: ['test/connect/keys.test.ts'],
  },
  A05: {
    what: 'The data of another organisation',
    pass: 'cannot be read or changed',
    files: [
      'test/api/hostile.test.ts',
      'test/connect/keys.test.ts',
      'test/api/watchlist.test.ts',
      'test/api/charge.test.ts',
    ],
  },
  A06: {
    what: 'A test key on live data',
    pass: 'reads the sandbox alone',
    files: ['test/api/sandbox.test.ts', 'test/api/hostile.test.ts'],
  },
  A07: { what: 'An expired key', pass: '401', files: ['test/credits/key-expiry.test.ts'] },
  A08: {
    what: 'Many sign-ups of one address',
    pass: '429; one free grant each',
    files: ['test/connect/sign-up.test.ts'],
  },
  A09: {
    what: 'A planted secret',
    pass: 'is in no log, collection, Redis key or answer',
    files: ['test/connect/secret.test.ts'],
  },
  A10: {
    what: 'Bull Board without its password',
    pass: 'is refused; read-only is read-only',
    files: ['test/board.test.ts'],
  },
  A11: {
    what: 'A key in the URL',
    pass: '400',
    files: ['test/api/request.test.ts', 'test/api/mcp-access.test.ts'],
  },
  I01: {
    what: 'Operators and lists in queries and arguments',
    pass: '400 before any read',
    files: ['test/api/request.test.ts', 'test/api/mcp-transport.test.ts'],
  },
  I02: {
    what: 'Encoded dots, slashes and NUL in paths',
    pass: '400 or 404',
    files: ['test/api/request.test.ts'],
  },
  I03: {
    what: 'Braces, colons and line breaks in ids',
    pass: 'never reach a Redis key',
    files: ['test/api/request.test.ts'],
  },
  I04: {
    what: 'Names of prototypes in JSON and XML',
    pass: 'are plain names',
    files: ['test/api/mcp-transport.test.ts', 'test/api/request.test.ts', 'src/forms/xml.test.ts'],
  },
  I05: {
    what: 'Patterns and long texts in a search',
    pass: 'none takes a second; `npm run bench:search` measures the cost',
    files: ['test/api/search.test.ts'],
  },
  I06: {
    what: 'A feed that links elsewhere, redirects, private addresses',
    pass: 'no connection',
    files: ['src/edgar/urls.test.ts', 'src/edgar/client/address.test.ts'],
  },
  I07: {
    what: 'Line breaks and long values in Idempotency-Key',
    pass: '400',
    files: ['test/api/charge.test.ts'],
  },
  I08: {
    what: 'Markup and prompts in the names of issuers and organisations',
    pass: 'shown as text',
    files: ['src/site/html.test.ts', 'test/connect/sign-up.test.ts'],
  },
} as const;
