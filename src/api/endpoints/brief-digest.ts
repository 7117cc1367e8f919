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
