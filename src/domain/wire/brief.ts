import { z } from 'zod';
import { artifactsShape, insidersShape, institutionalShape } from './brief-legs.ts';
import { coverageShape, evidenceShape, manifestShape, outcomeShape } from './brief-proof.ts';
import { cik, contentId, count, factsId, timestamp } from './brief-values.ts';

/** The `data` object of the brief endpoint (rule 8.2). Strict, because Tidemark writes it. */
export const briefShape = z.strictObject({
  schema_version: z.literal('capital_change_brief.v1'),
  outcome: outcomeShape,
  current_only: z.literal(true),
  generated_at: timestamp.describe('With milliseconds; not part of the brief id'),
  requested_ticker: z.string().describe('As requested, in upper case with a dot before the share class'),
  brief_id: contentId,
  facts_id: factsId,
  entity: z
    .strictObject({
      ticker: z.string(),
      name: z.string(),
      cusip: z.string(),
      cik: cik.nullable().describe('Of the issuer; null when no source has it'),
    })
    .describe('Empty strings when the security is not resolved'),
  headline: z.string(),
  explanation: z.string(),
  institutional: institutionalShape,
  insiders: insidersShape,
  corroboration: z.enum(['supports', 'contradicts', 'mixed', 'not_comparable']),
  corroboration_detail: z.strictObject({
    independent: z
      .boolean()
      .describe('Whether a trade is left without those by managers of the 13F leg, which are not compared'),
    shared_ciks: z.array(cik).describe('Reporting owners of trades that are managers of the 13F leg'),
  }),
  quality_artifacts: artifactsShape,
  coverage: coverageShape,
  evidence: z.array(evidenceShape).describe('The filings behind the displayed changes and transactions'),
  evidence_scope: z.strictObject({
    object_scope: z.string(),
    returned_object_count: count,
    manifest_evidence_id_count: count,
    aggregate_claim_evidence_ids_complete: z.boolean(),
  }),
  manifest: manifestShape,
  disclaimer: z.string(),
});

export type Brief = z.infer<typeof briefShape>;
export type BriefBody = Omit<Brief, 'brief_id'>;
export type Corroboration = Brief['corroboration'];
export type * from './brief-legs.ts';
export type * from './brief-proof.ts';
