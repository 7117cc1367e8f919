import { z } from 'zod';
import { ticker, version } from './payload.ts';
import { defineQueue } from './queue.ts';

export const brief = defineQueue({
  name: 'brief',
  about: 'Builds the capital-change brief of one ticker and shows it.',
  payload: z.strictObject({ ticker, version }),
  jobId: ({ ticker: symbol, version }) => `brief-${symbol}-v${version}`,
  key: ({ ticker: symbol }) => symbol,
  attempts: 8,
  backoffMs: 500,
  concurrency: 4,
  keepsFailed: false,
});
