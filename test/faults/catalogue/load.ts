/** L: load, on loopback. */
export const LOAD = {
  L01: {
    what: 'Six minutes at half of the measured capacity while filings arrive',
    pass: 'memory grows by less than 1 MB a minute; no 5xx; the ledger is exact',
    files: ['test/faults/load/soak.test.ts'],
  },
  L02: {
    what: 'Five times the capacity for a minute',
    pass: 'only 200, 429 and 503, each with Retry-After; refused calls are not charged',
    files: ['test/faults/load/overload.test.ts'],
  },
  L03: {
    what: '200 calls at once with a balance for 37',
    pass: 'exactly 37 are served; the others get 402',
    files: ['test/api/charge.test.ts', 'test/api/mcp-charge.test.ts'],
  },
  L04: {
    what: 'Many organisations over REST and MCP at once',
    pass: 'each balance is exact; both share it',
    files: ['test/faults/load/organizations.test.ts', 'test/api/mcp-charge.test.ts'],
  },
  L05: {
    what: 'The day of the 13F deadline, compressed',
    pass: 'briefs follow in time; the API stays within its limits',
    files: [],
    unproven: 'a day of EDGAR takes more than this machine: `npm run bench:quarter` measures it',
  },
  L06: {
    what: 'One key at 50 times its limit',
    pass: 'the p99 of other keys is at most 20 % above that under the same load at another API',
    files: ['test/faults/load/greedy.test.ts'],
  },
  L07: {
    what: 'The drainer of the ledger is stopped under load',
    pass: '503 at the exposure cap, never more; then it goes on',
    files: ['test/faults/credits/idle-drainer.test.ts', 'test/credits/drain.test.ts'],
  },
} as const;
