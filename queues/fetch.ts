import { z } from 'zod';
import { accession, run } from './payload.ts';
import { defineQueue } from './queue.ts';

export const fetch = defineQueue({
  name: 'fetch',
  about: 'Fetches the full submission of one filing and stores its bytes by SHA-256.',
  payload: z.strictObject({ accession, run }),
  jobId: ({ accession: id, run: n }) => `fetch-${id}-r${n}`,
  attempts: 8,
  backoffMs: 2_000,
  concurrency: 8,
  keepsFailed: false,
});
