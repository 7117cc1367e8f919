import { z } from 'zod';
import { searchPart, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const search = defineQueue({
  name: 'search',
  about: 'Writes a part of the search index: funds and their managers, or securities with their tickers.',
  group: 'heavy',
  payload: z.strictObject({ part: searchPart, version }),
  jobId: ({ part, version }) => `search-${part}-v${version}`,
  key: ({ part }) => part,
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
});
