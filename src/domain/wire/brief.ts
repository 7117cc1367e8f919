import { z } from 'zod';
import { artifactsShape, insidersShape, institutionalShape } from './brief-legs.ts';
import {
  accession,
  cik,
  contentId,
  count,
  day,
  evidenceId,
  factsId,
  period,
  publishedAt,
  timestamp,
} from './brief-values.ts';
import { limitationShape } from './limitation.ts';

const thirteenFStatus = z.enum(['available', 'partial', 'stale', 'unavailable']);
const form4Status = z.enum(['complete', 'partial', 'unavailable']);
export const outcomeShape = z.enum(['complete', 'partial', 'uncertain', 'no_data', 'refused']);

const coverageShape = z.strictObject({
  thirteen_f: z.strictObject({
    corpus: z.string(),
    status: thirteenFStatus,
    latest_quarter_filing_window: z.enum(['open', 'closed']),
    latest_reported_quarter_end: day.nullable(),
    managers_with_comparable_change: count,
    baseline_observations: count,
    observations_scanned: count,
    observations_displayed: count,
    observations_total: count,
    periods_observed: z.array(period),
    stale_manager_observations: count.describe(
      'Managers that held it and have no stored report for the latest quarter',
    ),
    unread_filings: z
      .array(accession)
      .describe(
        'Filings of managers that held the security, for the quarters compared and later ones, that cannot be read. No figure counts them',
      ),
    truncated: z.boolean(),
  }),
  form4: z.strictObject({
    status: form4Status,
    coverage_start: day.nullable(),
    indexed_through: day.nullable().describe('The last day whose daily index was reconciled'),
    window_start: day,
    window_end: day,
    unread_filings: z
      .array(accession)
      .describe('Forms 4 of the issuer, filed in the window, that cannot be read. No figure counts them'),
    truncated: z.boolean(),
  }),
  limitations: z.array(z.string()),
  limitation_codes: z.array(limitationShape).describe('One for each of `limitations`, in their order'),
});

const rawHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .nullable()
  .describe('Of the bytes fetched; null for rows of a bulk data set');

export const evidenceShape = z.strictObject({
  evidence_id: evidenceId,
  kind: z.enum(['sec_13f', 'sec_form4']),
  source: z.string(),
  accession_number: accession,
  form_type: z.string(),
  source_url: z.url().describe('Directory index of the filing'),
  human_url: z.url().describe('Index page of the filing'),
  published_at: publishedAt,
  retrieved_at: timestamp.describe('Not part of the brief id'),
  parser_version: z.string(),
  raw_hash: rawHash,
});

export const tableRows = z
  .array(z.int().min(1))
  .describe(
    '1-based rows that were read for the security, in the 13F information table or the non-derivative table of Form 4. Empty for a report that proves an absence',
  );

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const claimShape = z.strictObject({
  claim_id: z.string().regex(/^claim_[0-9a-f]{24}$/),
  kind: z.enum(['institutional_change', 'institutional_stance', 'insider_stance', 'corroboration']),
  subject: z.record(z.string(), scalar),
  values: z
    .record(z.string(), z.union([scalar, z.array(period), z.array(z.string())]))
    .describe(
      'What the claim says. `periods_observed` is as in `institutional`; `periods_compared` covers only managers with a comparable report for the quarter before',
    ),
  evidence_ids: z.array(evidenceId).optional(),
  evidence_reference: z
    .strictObject({ field: z.string(), evidence_id_count: count })
    .optional()
    .describe('Stands for a list of ids elsewhere in the brief'),
});

const manifestShape = z.strictObject({
  manifest_id: contentId,
  algorithm_version: z.string(),
  current_only: z.literal(true),
  parameters: z.strictObject({
    ticker: z.string(),
    form4_window_days: z.int(),
    max_institutional_changes: z.int(),
    max_insider_transactions: z.int(),
    window_start: day,
    window_end: day,
  }),
  quality: z.strictObject({
    outcome: outcomeShape,
    thirteen_f_status: thirteenFStatus,
    form4_status: form4Status,
    institutional_truncated: z.boolean(),
    form4_truncated: z.boolean(),
  }),
  evidence_ids: z
    .array(evidenceId)
    .describe('Sorted. Up to 500 ids all that the brief rests on, beyond that those of what it displays'),
  evidence_id_count: count.describe('Of all ids that the brief rests on'),
  evidence_digest: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe(
      'SHA-256 over the canonical JSON of all evidence, sorted by id: an array of `[evidence_id, raw_hash, parser_version]`',
    ),
  filings: z
    .array(
      z.strictObject({
        evidence_id: evidenceId,
        raw_hash: rawHash,
        parser_version: z.string(),
        rows: z
          .string()
          .regex(/^(\d+(-\d+)?(,\d+(-\d+)?)*)?$|^sha256:[0-9a-f]{64}$/)
          .describe(
            'Those of /briefs/{brief_id}/evidence as ranges: `3,7-9`. Beyond 200 characters the SHA-256 of that text',
          ),
      }),
    )
    .describe('The bytes, the parser and the rows behind each filing of `evidence`, sorted by id'),
  claims: z.array(claimShape),
});

export type Outcome = z.infer<typeof outcomeShape>;
export type Coverage = z.infer<typeof coverageShape>;
export type ThirteenFStatus = z.infer<typeof thirteenFStatus>;
export type Form4Status = z.infer<typeof form4Status>;
export type Evidence = z.infer<typeof evidenceShape>;
export type Claim = z.infer<typeof claimShape>;
export type ClaimBody = Omit<Claim, 'claim_id'>;
export type Manifest = z.infer<typeof manifestShape>;
export type ManifestBody = Omit<Manifest, 'manifest_id'>;

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
