import { z } from 'zod';
import { type EvidenceRecord, evidenceItem } from '../../domain/brief/evidence.ts';
import { evidenceShape, tableRows } from '../../domain/wire/brief.ts';
import { contentId } from '../../domain/wire/brief-values.ts';
import { answerEvidence } from '../../read/brief/stored.ts';
import { evidenceCount, readEvidence } from '../../store/publish/evidence.ts';
import { defineEndpoint, refusal } from '../endpoint/endpoint.ts';
import { exampleWithBrief } from '../endpoint/examples.ts';
import { limitParam, linkHeader, pageParam, paginationOf, paginationShape } from '../endpoint/page.ts';
import { briefIdParam } from '../endpoint/param.ts';

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
