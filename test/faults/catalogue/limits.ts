/** D: denial of service by one client. */
export const LIMITS = {
  D01: {
    what: 'Headers that arrive byte by byte',
    pass: 'closed within 15 s; others are served',
    files: ['test/faults/load/crowd.test.ts'],
  },
  D02: {
    what: 'Bodies that arrive byte by byte',
    pass: 'closed; others are served',
    files: ['test/faults/load/crowd.test.ts', 'test/api/connections.test.ts'],
  },
  D03: {
    what: 'A reader that does not read',
    pass: 'closed in time; memory stays',
    files: [
      'test/faults/load/crowd.test.ts',
      'test/api/crowd.test.ts',
      'src/api/admission/slow-readers.test.ts',
    ],
  },
  D04: {
    what: 'Bodies that are too large',
    pass: '413, and the connection ends',
    files: ['test/api/request.test.ts', 'test/api/hostile.test.ts'],
  },
  D05: { what: 'Long URLs and headers', pass: '414 and 431', files: ['test/api/request.test.ts'] },
  D06: { what: 'Limits and pages out of their bounds', pass: '400', files: ['test/api/request.test.ts'] },
  D07: {
    what: 'Thousands of tickers',
    pass: '400',
    files: ['test/api/request.test.ts', 'test/api/hostile.test.ts'],
  },
  D08: {
    what: 'Idle connections',
    pass: 'do not take the place of others',
    files: [
      'test/faults/load/crowd.test.ts',
      'test/api/crowd.test.ts',
      'src/api/admission/slow-readers.test.ts',
    ],
  },
  D09: {
    what: 'Pipelined calls',
    pass: 'count against the limit of the key',
    files: ['test/api/crowd.test.ts', 'test/api/pipeline.test.ts'],
  },
} as const;
