import { z } from 'zod';
import { cik, lane, quarterEnd, version } from './payload.ts';
import { defineQueue, urgency } from './queue.ts';

export const diff = defineQueue({
  name: 'diff',
  about:
    'Folds all filings of one manager and quarter, compares them with the quarter before, stores both views.',
  group: 'live',
  payload: z.strictObject({ cik, quarterEnd, version, lane }),
  jobId: ({ cik: id, quarterEnd: q, version }) => `diff-${id}-${q}-v${version}`,
  key: ({ cik: id, quarterEnd: q }) => `${id}|${q}`,
  priority: ({ lane: of, quarterEnd: day }) => urgency({ lane: of, day }),
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
