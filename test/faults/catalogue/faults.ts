const ENGINE = 'on the embedded engine; not proven on a replica set';

/** T: processes, Redis, MongoDB, clocks and EDGAR that fail. */
export const FAULTS = {
  T01: {
    what: 'SIGKILL of a worker at each named fault point of the pipeline',
    pass: 'the same data as without a fault; every event once; no manual step',
    files: ['test/faults/pipeline/killed.test.ts', 'test/flow/crash.test.ts'],
  },
  T02: {
    what: 'The Redis of the queues is emptied again and again during an ingest of 500 filings',
    pass: 'the same data as without a fault',
    files: [
      'test/faults/pipeline/lost-queue.test.ts',
      'test/flow/crash.test.ts',
      'test/faults/drills/queue.test.ts',
    ],
  },
  T03: {
    what: 'kill -9 of the credits Redis under load; its append-only file cut off by 1 to 500 KB',
    pass: 'kill -9, with `appendfsync always`: no answered charge lost; cut off: at most the exposure cap, detected, never negative',
    files: ['test/faults/credits/lost-redis.test.ts', 'test/credits/redis-lost.test.ts'],
  },
  T04: {
    what: 'A proxy drops the reply of every 20th answer of the credits Redis',
    pass: 'no call is charged twice, none served without a charge; at most one void a call',
    files: ['test/faults/credits/lost-reply.test.ts'],
  },
  T05: {
    what: 'The credits Redis is restored from an older copy',
    pass: 'balances equal the ledger again within ten seconds; 503 meanwhile',
    files: [
      'test/faults/credits/lost-redis.test.ts',
      'test/credits/redis-lost.test.ts',
      'test/faults/drills/fork.test.ts',
      'test/faults/drills/unreadable.test.ts',
    ],
  },
  T06: {
    what: 'SIGKILL of an API before the charge, after it, and in the middle of the answer',
    pass: 'charged exactly once with an Idempotency-Key; else voided within 60 s',
    files: ['test/faults/credits/dead-api.test.ts', 'test/credits/open-calls.test.ts'],
  },
  T07: {
    what: 'MongoDB is away under load',
    pass: '503 with Retry-After, no charge, no crash; then all goes on',
    files: ['test/faults/credits/mongo-away.test.ts', 'test/api/hang.test.ts'],
    unproven: ENGINE,
  },
  T08: {
    what: 'Step-down of the primary of MongoDB while events are numbered',
    pass: 'no number is used twice; a poller sees every event',
    files: [],
    unproven: 'needs a replica set of three: none runs here',
  },
  T09: {
    what: 'SIGSTOP of a sequencer in the middle of its batch, while another one works; SIGCONT',
    pass: 'no hole, no duplicate; the late writes change nothing',
    files: ['test/faults/events/pollers.test.ts'],
    unproven: ENGINE,
  },
  T10: {
    what: 'SIGSTOP of a worker that parses until its lock has expired and another has finished; SIGCONT',
    pass: 'the late write is refused; one result',
    files: ['test/faults/pipeline/killed.test.ts'],
    unproven: ENGINE,
  },
  T11: {
    what: 'The worker dies three times on the same filing',
    pass: 'the filing is quarantined as crash_loop; the queue goes on',
    files: ['test/faults/pipeline/killed.test.ts'],
  },
  T12: {
    what: 'SIGTERM during jobs and requests',
    pass: 'no failed request, no stalled job, exit 0 within 30 s',
    files: ['test/faults/pipeline/stopped.test.ts'],
  },
  T13: {
    what: 'MongoDB is restored from an older copy; clients keep their cursors',
    pass: 'the sequencer refuses; after events restore-fence every event reaches every client',
    files: [
      'test/faults/events/restored.test.ts',
      'test/store/event-check.test.ts',
      'test/faults/restore/drill.test.ts',
      'test/faults/restore/closed.test.ts',
    ],
    unproven: ENGINE,
  },
  T14: {
    what: 'The clock of API and workers is a day ahead and a day behind',
    pass: 'brief ids are unchanged; no balance and no expiry goes wrong',
    files: [
      'test/faults/credits/clock.test.ts',
      'test/faults/pipeline/order.test.ts',
      'test/api/limits.test.ts',
    ],
    unproven: 'with the clocks of our processes; that of Redis was not moved',
  },
  T15: {
    what: '300 ms of latency, lost connections and half-open sockets to the credits Redis',
    pass: 'an answer or 503 within four seconds; back within ten; the balance is exact',
    files: ['test/faults/credits/slow-redis.test.ts'],
  },
  T16: {
    what: 'The Redis of the credits, or of the queues, is full',
    pass: '503 before any write; no partial charge; the workers go on when there is room, and lose nothing',
    files: ['test/faults/pipeline/full.test.ts', 'test/faults/pipeline/lost-queue.test.ts'],
  },
  T17: {
    what: 'Start with a wrong eviction policy, without an append-only file, with a standalone MongoDB, a wrong clock, default secrets in production or missing indexes',
    pass: 'exit 1 with one line; missing indexes are built',
    files: ['test/process/boot.test.ts', 'test/faults/pipeline/boot.test.ts', 'test/store/indexes.test.ts'],
  },
  T18: {
    what: 'The disk is full while bytes are stored',
    pass: 'the fetch is retried; nothing is half there',
    files: ['test/faults/pipeline/full.test.ts'],
    unproven: 'with writes that are refused; no disk was full',
  },
  T19: {
    what: 'The Redis of the queues restarts',
    pass: 'workers go on within 30 s',
    files: [
      'test/faults/pipeline/stopped.test.ts',
      'test/faults/pipeline/health.test.ts',
      'test/process/quiet.test.ts',
    ],
  },
  T20: {
    what: 'EDGAR answers with block pages, 429, 503, one byte a second, resets and wrong lengths',
    pass: 'the requests stay within the limit; nothing is quarantined; it recovers alone',
    files: [
      'test/edgar/faults.test.ts',
      'test/edgar/client.test.ts',
      'test/edgar/bucket.test.ts',
      'test/flow/crash.test.ts',
      'test/faults/drills/blocked.test.ts',
    ],
  },
  T21: {
    what: 'The feed omits, repeats and reorders filings; the index lists them all',
    pass: 'stored equals the index; each event once',
    files: ['test/flow/feed.test.ts', 'test/flow/crash.test.ts'],
  },
  T22: {
    what: 'A daily index is truncated, HTML or empty on a business day',
    pass: 'the watermark stays, with an alarm; the next good read fills it',
    files: ['test/flow/watermark.test.ts', 'test/faults/drills/watermark.test.ts'],
  },
  T23: {
    what: 'Originals, a late original and both kinds of amendments in any order',
    pass: 'equal holdings, equal changes, equal brief ids',
    files: [
      'test/faults/pipeline/order.test.ts',
      'test/flow/arrival.test.ts',
      'test/flow/peers-order.test.ts',
      'src/domain/report/fold.test.ts',
    ],
  },
  T24: {
    what: 'Many sequencers and pollers, with kills',
    pass: 'each poller has exactly its events, in order',
    files: ['test/faults/events/pollers.test.ts', 'test/flow/events.test.ts'],
    unproven: ENGINE,
  },
  T25: {
    what: 'The whole pipeline twice over one corpus',
    pass: 'no new brief, no new event',
    files: ['test/flow/arrival.test.ts'],
  },
  T26: {
    what: '60,000 paid calls over two APIs, of which one, or the credits Redis, is killed every two seconds',
    pass: 'ledger, balances and answers are equal with `appendfsync always`; by default at most what was at risk is given away; a call that is sent again is charged once',
    files: ['test/faults/credits/kills.test.ts'],
  },
  T27: {
    what: 'A worker computes for minutes; it is stopped (SIGSTOP), or killed',
    pass: 'while it computes it is alive in /status and `tidemark status`; else silent within a minute',
    files: [
      'test/faults/pipeline/silent.test.ts',
      'test/faults/pipeline/health.test.ts',
      'test/faults/drills/behind.test.ts',
    ],
  },
  T28: {
    what: 'A worker is killed every few seconds during an ingest of 500 filings, while the feed omits 5 % and repeats 10 % of the entries, and EDGAR answers with block pages, 429, 503 and resets',
    pass: 'the same data as without a fault: all that the index lists; every event once; never above the rate',
    files: ['test/faults/pipeline/mortal.test.ts', 'test/flow/crash.test.ts'],
  },
} as const;
