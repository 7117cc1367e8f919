import { z } from 'zod';
import { searchPart } from './payload.ts';
import { defineQueue } from './queue.ts';

export const search = defineQueue({
  name: 'search',
  about: 'Writes a part of the search index: funds and their managers, or securities with their tickers.',
  payload: z.strictObject({ part: searchPart, generation: z.number().int().min(0) }),
  jobId: ({ part, generation }) => `search-${part}-g${generation}`,
  attempts: 8,
  backoffMs: 500,
  concurrency: 2,
  keepsFailed: false,
  lockMs: 30_000,
  schedule: [],
});
