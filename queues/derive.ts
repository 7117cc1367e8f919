import { z } from 'zod';
import {
  cik,
  day,
  defineQueue,
  lane,
  ONE_JOB,
  quarterEnd,
  reportPart,
  searchPart,
  slot,
  ticker,
  urgency,
  version,
} from './queue.ts';

export const diff = defineQueue({
  name: 'diff',
  about:
    'Folds the filings of pending reports, compares each with the quarter before, stores both views: a unit of one part of the managers at a time.',
  group: 'live',
  // `at`: when it was enqueued, in milliseconds. The next job of a part must not have the id of one that runs.
  payload: z.strictObject({ part: reportPart, at: z.number().int().min(0) }),
  jobId: ({ part, at }) => `diff-part${part}-at${at}`,
  key: ({ part }) => part,
  // The rows of a unit are in memory.
  concurrency: 1,
});

export const peers = defineQueue({
  name: 'peers',
  about:
    'Compares all filers of a quarter: splits, new CUSIPs, value scales and slips that no report shows alone.',
  group: 'heavy',
  payload: z.strictObject({ quarterEnd, version }),
  jobId: (payload) => `peers-${payload.quarterEnd}-v${payload.version}`,
  key: (payload) => payload.quarterEnd,
  backoffMs: 1_000,
  // Each holds a part of three quarters in memory.
  concurrency: 1,
  lockMs: 60_000,
});

export const insider = defineQueue({
  name: 'insider',
  about:
    'Reconciles new Forms 4 of one issuer with those of the same days, amendments and repetitions included, and lists its trades.',
  group: 'live',
  payload: z.strictObject({ cik, version, lane }),
  jobId: ({ cik: id, version }) => `insider-${id}-v${version}`,
  key: ({ cik: id }) => id,
  priority: ({ lane: of }) => urgency({ lane: of }),
  concurrency: 2,
});

export const brief = defineQueue({
  name: 'brief',
  about: 'Builds the capital-change brief of one ticker and shows it.',
  group: 'briefs',
  payload: z.strictObject({ ticker, version, lane }),
  jobId: ({ ticker: symbol, version }) => `brief-${symbol}-v${version}`,
  key: ({ ticker: symbol }) => symbol,
  priority: ({ lane: of }) => urgency({ lane: of }),
  concurrency: 4,
});

export const search = defineQueue({
  name: 'search',
  about:
    'Writes a part of the search index: funds and their managers, or securities with their tickers. With a quarter: first counts the managers that hold each security in it, for all pending parts.',
  group: 'heavy',
  payload: z.strictObject({ part: searchPart, quarterEnd: quarterEnd.optional(), version }),
  jobId: ({ part, quarterEnd: q, version }) => `search-${part}${q === undefined ? '' : `-${q}`}-v${version}`,
  key: ({ part, quarterEnd: q }) => (q === undefined ? part : `${part}|${q}`),
  // A count has the columns of its quarter in memory.
  concurrency: 1,
});

export const leaderboard = defineQueue({
  name: 'leaderboard',
  about: 'Computes implied prices, copied portfolios and the ranking of every window when reports changed.',
  group: 'leaderboard',
  payload: z.strictObject({ asOf: day, version }),
  jobId: ({ asOf, version }) => `leaderboard-${asOf}-v${version}`,
  key: () => 'leaderboard',
  backoffMs: 1_000,
});

/** `events`: rule 13.1. `ledger`: rule 12.8. `expiry`: rule 13.8. */
const UPKEEP = ['events', 'ledger', 'expiry'] as const;

export const upkeep = defineQueue({
  name: 'upkeep',
  about:
    'Proves that the stream of events is whole and that every balance is the sum of its ledger, and corrects which briefs expire.',
  group: 'briefs',
  payload: z.strictObject({ slot, kind: z.enum(UPKEEP) }),
  jobId: ({ kind }) => `upkeep-${kind}`,
  attempts: 3,
  backoffMs: 60_000,
  concurrency: UPKEEP.length,
  schedule: [
    { cron: '0 30 3 * * *', slotSeconds: 3_600, kind: 'events' },
    { cron: '0 20 * * * *', slotSeconds: 3_600, kind: 'ledger' },
    { cron: '0 0 4 * * *', slotSeconds: 3_600, kind: 'expiry' },
  ],
});

export const dispatch = defineQueue({
  name: 'dispatch',
  about: 'Enqueues what the database says is pending, publishes the as-of date and the state of the corpus.',
  group: 'live',
  payload: z.strictObject({ slot }),
  jobId: () => 'dispatch-next',
  ...ONE_JOB,
  schedule: [{ cron: '*/2 * * * * *', slotSeconds: 2 }],
});
