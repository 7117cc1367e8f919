import { z } from 'zod';
import { type EvidenceRecord, evidenceItem } from '../../domain/brief/evidence.ts';
import { briefShape, evidenceShape, tableRows } from '../../domain/wire/brief.ts';
import { contentId } from '../../domain/wire/brief-values.ts';
import { answerEvidence, answerStored } from '../../read/brief/brief.ts';
import { evidenceCount, readEvidence } from '../../store/publish/evidence.ts';
import { meantHeaders } from '../cache/brief-lookup.ts';
import { defineEndpoint, refusal } from '../endpoint/endpoint.ts';
import { exampleWithBrief } from '../endpoint/examples.ts';
import { limitParam, linkHeader, pageParam, paginationOf, paginationShape } from '../endpoint/page.ts';
import { briefIdParam, tickerParam } from '../endpoint/param.ts';

/** What a summary of a brief shows: the answer in words, its ids, what is not known, and who moved. */
const BRIEF_DIGEST = {
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

/** Sends stored bytes: the body was validated when it was built. */
export const capitalChangeBrief = defineEndpoint({
  name: 'capital_change_brief',
  path: '/stocks/{ticker}/capital-change-brief',
  title: 'Capital-change brief',
  summary: 'Who initiated, added, reduced or exited a position, and what insiders did, with evidence',
  description:
    'Which tracked managers initiated, added, reduced or exited the security between the two latest reported quarters; whether open-market Form 4 trades of the last 180 days support it; what limits the answer; and the filings that prove each claim.\n\nThe `outcome` is `complete`, `partial`, `uncertain`, `no_data` or `refused`. A ticker that no source knows is `no_data`.',
  details:
    'Each outcome has status 200. Where no source knows the ticker, the header `X-Did-You-Mean` names a known one that is near to it, as `did_you_mean` does in the result of an agent tool. The `brief_id` is a hash of the content and the `ETag`: call again with `If-None-Match`.',
  example: { ticker: 'AMZN' },
  digest: BRIEF_DIGEST,
  credits: 10,
  conditional: true,
  firstComputes: true,
  headers: ['X-Did-You-Mean'],
  params: { ticker: tickerParam },
  query: {},
  output: z.strictObject({ data: briefShape }),
  async handler(reading, { ticker }) {
    const brief = await reading.findBrief(ticker);
    return { kind: 'stored', brief, headers: meantHeaders(brief.meant) };
  },
});

/** Rule 11.11. */
export const briefEvidence = defineEndpoint({
  name: 'brief.evidence',
  path: '/briefs/{brief_id}/evidence',
  title: 'Evidence of a brief',
  summary: 'Every filing behind a brief, with the rows that were used of it',
  description:
    'For a check of a brief: it names up to 500 of its filings, this list names them all, with the hash and the parser of each as it was read when the brief was built.',
  details:
    'The whole list that `manifest.evidence_digest` of the brief commits to, sorted by `evidence_id`: the SHA-256 of the canonical JSON of all `[evidence_id, raw_hash, parser_version]` is that digest. Each filing is as it was read when the brief was built, with its parser and the hash of its bytes, also after it was read again or amended. The clients check the list against the brief: `verifyEvidence`, `verify_evidence`.\n\nAn id that is not stored is 404 `brief_not_found`. A page after the last one is empty, with correct totals.',
  example: exampleWithBrief({ limit: 2 }),
  digest: {
    facts: ['brief_id'],
    rows: { at: 'evidence', columns: ['evidence_id', 'form_type', 'published_at.value', 'human_url'] },
  },
  credits: 1,
  params: { brief_id: briefIdParam },
  query: { page: pageParam, limit: limitParam(100, 500) },
  output: z.strictObject({
    data: z.strictObject({
      brief_id: contentId,
      evidence: z.array(evidenceShape.extend({ rows: tableRows })),
      pagination: paginationShape,
    }),
  }),
  errors: ['brief_not_found'],
  async handler({ db, siteUrl }, { brief_id, page, limit }) {
    const pages = await answerEvidence(db, brief_id);
    if (pages === null) return refusal('brief_not_found', `No brief with the id ${brief_id} is stored.`);
    const records = await readEvidence(db, pages, { from: (page - 1) * limit, count: limit });
    const pagination = paginationOf(page, limit, evidenceCount(pages));
    const data = { brief_id, evidence: records.map(itemOf), pagination };
    const address = `${siteUrl}/v1/briefs/${brief_id}/evidence`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, {}, pagination) };
  },
});

function itemOf({ rows, ...source }: EvidenceRecord) {
  return { ...evidenceItem(source), rows: [...rows] };
}
