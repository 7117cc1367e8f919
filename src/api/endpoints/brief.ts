import { z } from 'zod';
import { briefShape } from '../../domain/wire/brief.ts';
import { answerStored } from '../../read/brief/stored.ts';
import { defineEndpoint, refusal } from '../endpoint/endpoint.ts';
import { exampleWithBrief } from '../endpoint/examples.ts';
import { briefIdParam } from '../endpoint/param.ts';

/** What a summary of a brief shows: the answer in words, its ids, what is not known, and who moved. */
export const BRIEF_DIGEST = {
  facts: [
    'headline',
    'outcome',
    'brief_id',
    'facts_id',
    'institutional.stance',
    'insiders.stance',
    'corroboration',
    'quality_artifacts.suppresses_direction',
    'institutional.latest_reported_quarter_end',
    'coverage.limitations',
  ],
  rows: {
    at: 'institutional.changes',
    columns: ['fund.name', 'fund.cik', 'action', 'share_delta', 'current_shares', 'evidence_ids'],
  },
} as const;

/** Rule 11.11. Sends the stored bytes of the day on which the brief was built. */
export const brief = defineEndpoint({
  name: 'brief.get',
  path: '/briefs/{brief_id}',
  title: 'Brief by id',
  summary: 'One capital-change brief exactly as it was built, by its id',
  description:
    'What `/stocks/{ticker}/capital-change-brief` answered, to the byte; it never changes. Only ids that were built here are known.',
  details:
    'The bytes never change, so a client may store them for good: `Cache-Control` is `private, immutable`. When the ticker shows another brief now, the header `X-Superseded` is `true`: `/stocks/{ticker}/capital-change-brief` answers that one, for its price.\n\nAn id that was never built here is 404 `brief_not_found`. Briefs about a ticker that nothing was ever filed about (`no_data`, `refused`) are built for each call and are not stored.',
  example: exampleWithBrief(),
  digest: BRIEF_DIGEST,
  credits: 1,
  conditional: true,
  headers: ['X-Superseded'],
  params: { brief_id: briefIdParam },
  query: {},
  output: z.strictObject({ data: briefShape }),
  errors: ['brief_not_found'],
  async handler({ db }, { brief_id }) {
    const found = await answerStored(db, brief_id);
    if (found === null) return refusal('brief_not_found', `No brief with the id ${brief_id} is stored.`);
    const { brief, isSuperseded } = found;
    const headers = isSuperseded ? ['X-Superseded', 'true'] : [];
    return { kind: 'stored', brief, cacheControl: 'private, immutable', headers };
  },
});
