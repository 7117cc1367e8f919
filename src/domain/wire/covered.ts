import { z } from 'zod';

/** Whether a list may be taken for all that was filed (rule 7.3): an empty one that is not covered means nothing. */
export const coveredShape = {
  coverage_status: z
    .enum(['covered', 'partial', 'not_covered'])
    .describe(
      '`covered`: an empty list means none in the filings read. `partial`: not all of it was read, or filed yet. `not_covered`: nothing of it was read, so 0 is not a count. `limitations` says why',
    ),
  limitations: z.array(z.string()).describe('What the answer lacks, as sentences'),
};

export type Covered = {
  readonly coverage_status: 'covered' | 'partial' | 'not_covered';
  readonly limitations: string[];
};
