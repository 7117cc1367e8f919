import { z } from 'zod';
import { quarterEnd, searchPart, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const holders = defineQueue({
  name: 'holders',
  about:
    'Counts the managers that hold each security in one quarter, for all pending parts of the search index.',
  group: 'heavy',
  payload: z.strictObject({ part: searchPart, quarterEnd, version }),
  jobId: ({ part, quarterEnd: q, version }) => `holders-${part}-${q}-v${version}`,
  key: ({ part, quarterEnd: q }) => `${part}|${q}`,
  attempts: 8,
  backoffMs: 500,
  concurrency: 1,
  keepsFailed: false,
});
