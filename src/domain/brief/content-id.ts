import { canonicalJson, sha256Hex } from '../canonical.ts';
import { rowRanges } from '../report/row-range.ts';
import type { Brief, BriefBody, Claim, ClaimBody, Evidence, Manifest, ManifestBody } from '../wire/brief.ts';

/**
 * `claim_` and the first 24 hex digits of the hash over the claim's kind, subject, values and evidence
 * (rule 8.7). The evidence is the list of ids, or the reference that stands for it.
 */
export function claimId(claim: ClaimBody | Claim): string {
  const { kind, subject, values } = claim;
  const evidence = claim.evidence_ids ?? claim.evidence_reference ?? null;
  return `claim_${sha256Hex(canonicalJson({ evidence, kind, subject, values })).slice(0, 24)}`;
}

/**
 * `facts_` and 64 hex digits of the hash over what a brief says of the stock itself (rule 8.7): nothing that
 * moves with the day, with the corpus or with other stocks.
 */
export function factsId({ entity, institutional, insiders }: FactsBody): string {
  const {
    latest_reported_quarter_end: _latest,
    tracked_managers_observed: _tracked,
    periods_observed: _periods,
    stale_manager_observations: _stale,
    ...holders
  } = institutional;
  const { window_start: _start, window_end: _end, ...trades } = insiders;
  // Briefs of earlier versions have no `cik`.
  const { ticker, cusip, cik = null } = entity;
  return `facts_${sha256Hex(canonicalJson({ ticker, cusip, cik, institutional: holders, insiders: trades }))}`;
}

/** The parts of a brief that its facts are in. */
type FactsBody = Pick<Brief, 'entity' | 'institutional' | 'insiders'>;

/** A filing with the bytes and the parser that it was read by. */
export type Reading = Pick<Evidence, 'evidence_id' | 'raw_hash' | 'parser_version'>;

/**
 * `sha256:` and 64 hex digits of the hash over all evidence, sorted by id: a list of
 * `[evidence_id, raw_hash, parser_version]` (rule 8.6).
 */
export function evidenceDigest(readings: readonly Reading[]): string {
  const list = readings.map(({ evidence_id, raw_hash, parser_version }) => [
    evidence_id,
    raw_hash,
    parser_version,
  ]);
  return `sha256:${sha256Hex(canonicalJson(list))}`;
}

/** Rule 8.6: beyond so many characters a manifest has the hash of the rows of a filing. */
const MAX_ROWS_TEXT = 200;

/** Rows as the manifest states them: `3,7-9`, or `sha256:` and the hash of that text where it is long. */
export function rowsText(rows: readonly number[]): string {
  const ranges = rowRanges(rows);
  return ranges.length <= MAX_ROWS_TEXT ? ranges : `sha256:${sha256Hex(ranges)}`;
}

/** `ccm_` and 64 hex digits of the hash over the manifest without its own id. */
export function manifestId(manifest: ManifestBody | Manifest): string {
  const { manifest_id: _own, ...content } = { manifest_id: '', ...manifest };
  return `ccm_${sha256Hex(canonicalJson(content))}`;
}

/**
 * `ccm_` and 64 hex digits of the hash over the brief without `brief_id`, `generated_at` and each
 * `retrieved_at`. The times of computing and fetching are not content.
 */
export function briefId(brief: BriefBody | Brief): string {
  const { brief_id: _id, generated_at: _at, ...content } = { brief_id: '', ...brief };
  const evidence = content.evidence.map(({ retrieved_at: _retrieved, ...rest }) => rest);
  return `ccm_${sha256Hex(canonicalJson({ ...content, evidence }))}`;
}
