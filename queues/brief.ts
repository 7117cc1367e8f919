import { z } from 'zod';
import { lane, ticker, version } from './payload.ts';
import { defineQueue, urgency } from './queue.ts';

export const brief = defineQueue({
  name: 'brief',
  about: 'Builds the capital-change brief of one ticker and shows it.',
  group: 'briefs',
  payload: z.strictObject({ ticker, version, lane }),
  jobId: ({ ticker: symbol, version }) => `brief-${symbol}-v${version}`,
  key: ({ ticker: symbol }) => symbol,
  priority: ({ lane: of }) => urgency({ lane: of }),
  attempts: 8,
  backoffMs: 500,
  concurrency: 4,
  keepsFailed: false,
});
