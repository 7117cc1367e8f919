import * as z from 'zod/mini';
import { evidenceDigest, rowsText } from './content-id.ts';
import { compare, unwrapped, type Verification, verification } from './verify.ts';

const listed = z.array(
  z.looseObject({
    evidence_id: z.string(),
    raw_hash: z.nullable(z.string()),
    parser_version: z.string(),
    /** Numbers on the pages and in briefs of earlier versions, text in a manifest. */
    rows: z.union([
      z.pipe(
        z.array(z.number()),
        z.transform((rows: number[]) => rowsText(rows)),
      ),
      z.string(),
    ]),
  }),
);
const envelope = z.pipe(
  z.looseObject({ evidence: listed }),
  z.transform(({ evidence }) => evidence),
);
const page = z.union([listed, envelope]);

/** What a brief says of its evidence. */
const committed = z.looseObject({
  manifest: z.looseObject({
    evidence_id_count: z.number(),
    evidence_digest: z.string(),
    filings: listed,
  }),
});

/**
 * Holds the pages of `/briefs/{brief_id}/evidence`, in any order, against a brief: how many filings there are,
 * the digest of the ids, bytes and parsers of all, and the rows of each filing that the brief displays.
 */
export function verifyEvidence(json: unknown, pages: readonly unknown[]): Verification {
  return verification(() => {
    const { manifest } = committed.parse(unwrapped(json));
    const evidence = pages.flatMap((one) => page.parse(unwrapped(one)));
    const byId = new Map(evidence.map((item) => [item.evidence_id, item]));
    const sorted = [...byId.values()].sort((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1));
    return [
      ...compare('evidence count', String(manifest.evidence_id_count), String(evidence.length)),
      ...compare('evidence digest', manifest.evidence_digest, evidenceDigest(sorted)),
      ...manifest.filings.flatMap((filing) =>
        compare(
          `evidence of ${filing.evidence_id}`,
          readingOf(filing),
          readingOf(byId.get(filing.evidence_id)),
        ),
      ),
    ];
  });
}

function readingOf(item: z.output<typeof listed>[number] | undefined): string {
  if (item === undefined) return 'none';
  return `${item.raw_hash} read by ${item.parser_version}, rows ${item.rows || 'none'}`;
}
