import * as z from 'zod/mini';
import type { Brief } from '../wire/brief.ts';
import { briefId, claimId, evidenceDigest, factsId, manifestId } from './content-id.ts';

type Problem = { readonly what: string; readonly expected: string; readonly actual: string };
export type Verification = { readonly ok: boolean; readonly problems: readonly Problem[] };

/**
 * Only the fields that hold ids. Unknown fields stay in and change the id, and a brief of another
 * version is not refused for its shape.
 */
const checkable = z.looseObject({
  brief_id: z.string(),
  facts_id: z.optional(z.string()),
  evidence: z.array(z.looseObject({})),
  manifest: z.looseObject({
    manifest_id: z.string(),
    evidence_ids: z.array(z.string()),
    evidence_id_count: z.optional(z.number()),
    evidence_digest: z.optional(z.string()),
    claims: z.array(z.looseObject({ claim_id: z.string() })),
  }),
});

/**
 * Recomputes the ids of a brief offline, from its JSON alone: each claim, the manifest, the brief.
 * Takes the brief itself or the API's envelope `{ data: brief }`. `expected` is the recomputed value.
 */
export function verifyBrief(json: unknown): Verification {
  const parsed = checkable.safeParse(unwrapped(json));
  if (!parsed.success) {
    const actual = z.prettifyError(parsed.error);
    return { ok: false, problems: [{ what: 'shape', expected: 'a capital_change_brief.v1', actual }] };
  }
  return verification(() => problemsOf(parsed.data as unknown as Brief));
}

/** JSON that no id can be computed of is a problem too. */
export function verification(find: () => Problem[]): Verification {
  try {
    const problems = find();
    return { ok: problems.length === 0, problems };
  } catch (error) {
    const actual = error instanceof Error ? error.message : String(error);
    return { ok: false, problems: [{ what: 'canonical form', expected: 'plain JSON', actual }] };
  }
}

function problemsOf(brief: Brief): Problem[] {
  const { manifest } = brief;
  return [
    ...manifest.claims.flatMap((claim, index) =>
      compare(`manifest.claims[${index}].claim_id`, claimId(claim), claim.claim_id),
    ),
    ...evidenceProblems(manifest),
    // Briefs of earlier versions have none.
    ...('facts_id' in brief ? compare('facts_id', factsId(brief), brief.facts_id) : []),
    ...compare('manifest.manifest_id', manifestId(manifest), manifest.manifest_id),
    ...compare('brief_id', briefId(brief), brief.brief_id),
  ];
}

/** Only a complete list can be held against its digest, and briefs of earlier versions have none. */
function evidenceProblems({ evidence_ids, evidence_id_count, evidence_digest }: Partial<Brief['manifest']>) {
  if (evidence_digest === undefined || evidence_ids?.length !== evidence_id_count) return [];
  return compare('manifest.evidence_digest', evidenceDigest(evidence_ids ?? []), evidence_digest);
}

export function compare(what: string, expected: string, actual: string): Problem[] {
  return expected === actual ? [] : [{ what, expected, actual }];
}

/** The payload of the API's envelope, or the JSON itself. */
export function unwrapped(json: unknown): unknown {
  const isEnvelope = typeof json === 'object' && json !== null && 'data' in json && !('brief_id' in json);
  return isEnvelope ? json.data : json;
}
