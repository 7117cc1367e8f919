/** F: fuzzing and the contract. M: MCP. */
export const PROTOCOL = {
  F01: {
    what: 'schemathesis over /openapi.json',
    pass: 'no failure',
    files: [],
    unproven: 'a step of .ci/run (`npm run contract`)',
  },
  F02: {
    what: 'Each documented status',
    pass: 'has an example that was seen',
    files: ['test/api/contract.test.ts'],
  },
  F03: {
    what: 'Routes, OpenAPI and README',
    pass: 'say the same',
    files: ['test/api/contract.test.ts', 'test/api/openapi.test.ts'],
  },
  F04: {
    what: 'The balance around each call of the contract',
    pass: 'falls by the price when the answer is 2xx, else not',
    files: ['test/api/contract.test.ts'],
  },
  F05: {
    what: 'Any sequence of charges, resends, replays, voids and grants',
    pass: 'equals a model',
    files: ['test/credits/wallet-model.test.ts'],
  },
  F06: {
    what: 'Mutated filings',
    pass: 'no crash; no result of a filing that is not well-formed',
    files: [
      'test/faults/input/damaged.test.ts',
      'src/forms/index.test.ts',
      'src/forms/plain-element.test.ts',
      'src/forms/form-13f/plain-table.test.ts',
      'src/forms/mutated-spelling.test.ts',
    ],
  },
  F07: { what: 'Cursors that are no cursors', pass: '400, not charged', files: ['test/api/request.test.ts'] },
  M01: {
    what: 'Each revision of the protocol, and an unknown one',
    pass: 'is agreed on',
    files: ['test/api/mcp-transport.test.ts'],
  },
  M02: {
    what: 'tools/list and the catalog',
    pass: 'are valid and equal',
    files: ['test/api/mcp-catalog.test.ts'],
  },
  M03: {
    what: 'Tools and REST',
    pass: 'give equal answers at equal prices',
    files: ['test/api/mcp-parity.test.ts'],
  },
  M04: {
    what: 'Errors of the protocol',
    pass: 'have their codes and ids',
    files: ['test/api/mcp-transport.test.ts'],
  },
  M05: {
    what: 'No key, a foreign Origin, another Host',
    pass: '401 and 403',
    files: ['test/api/mcp-access.test.ts'],
  },
  M06: {
    what: 'A tool without credits',
    pass: 'a failed result with needed and balance',
    files: ['test/api/mcp-charge.test.ts'],
  },
  M07: { what: 'GET and DELETE', pass: '405', files: ['test/api/mcp-access.test.ts'] },
  M08: {
    what: 'The official client',
    pass: 'connects, lists and calls',
    files: ['test/api/mcp-client.test.ts'],
  },
  M09: { what: 'Deep and large bodies', pass: '400 and 413', files: ['test/api/mcp-transport.test.ts'] },
} as const;
