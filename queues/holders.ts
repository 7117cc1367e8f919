import { z } from 'zod';
import { quarterEnd, searchPart, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const holders = defineQueue({
  name: 'holders',
  about: 'Counts the managers that hold each security of a part of the search index in one quarter.',
  group: 'heavy',
  payload: z.strictObject({ part: searchPart, quarterEnd, version }),
  jobId: ({ part, quarterEnd: q, version }) => `holders-${part}-${q}-v${version}`,
  key: ({ part, quarterEnd: q }) => `${part}|${q}`,
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
