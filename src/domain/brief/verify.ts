import * as z from 'zod/mini';
import { canonicalJson } from '../canonical.ts';
import type { Brief } from '../wire/brief.ts';
import { requireShape } from './brief-shape.ts';
import { addressesOf, derivedMembers } from './consistency.ts';
import { briefId, claimId, evidenceDigest, factsId, manifestId, rowsText } from './content-id.ts';
import { restatedClaims } from './restated-claims.ts';
import type { Derived } from './restated-trades.ts';

type Problem = { readonly what: string; readonly expected: string; readonly actual: string };
type Verification = { readonly ok: boolean; readonly problems: readonly Problem[] };

/**
 * Checks a brief offline, from its JSON alone: each id is the hash of its content, and what the brief states
 * twice, or what follows from its other members, agrees. Whether the brief is Tidemark's only its id can tell:
 * `id` is the one that it must have. Takes the brief itself or the API's envelope `{ data: brief }`.
 * `expected` is the recomputed value.
 */
export function verifyBrief(json: unknown, id?: string): Verification {
  return verification(() => {
    const brief = unwrapped(json) as Brief;
    requirePlain(brief);
    requireShape(brief);
    return [
      ...problemsOf(brief),
      ...(id === undefined ? [] : compare('expected brief_id', id, brief.brief_id)),
    ];
  });
}

/**
 * What JSON readers understand in different ways would give one text two meanings: a member `__proto__`, and
 * numbers that not every reader holds exactly.
 */
function requirePlain(value: unknown): void {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw new TypeError(`A number beyond 2^53: ${value}`);
  }
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) throw new TypeError('A member __proto__');
  for (const member of Object.values(value)) requirePlain(member);
}

/** What is no brief is a problem too, not an exception. */
function verification(find: () => Problem[]): Verification {
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
    ...compare('facts_id', factsId(brief), brief.facts_id),
    ...compare('manifest.manifest_id', manifestId(manifest), manifest.manifest_id),
    ...compare('brief_id', briefId(brief), brief.brief_id),
    ...[...derivedMembers(brief), ...restatedClaims(brief)].flatMap(compareDerived),
  ];
}

function compareDerived([what, expected, actual]: Derived): Problem[] {
  return compare(what, canonicalJson(expected), canonicalJson(actual));
}

/** Where all evidence is on display; else the pages of `/briefs/{brief_id}/evidence` tell. */
function evidenceProblems({ filings, evidence_id_count, evidence_digest }: Brief['manifest']) {
  if (filings.length !== evidence_id_count) return [];
  return compare('manifest.evidence_digest', evidenceDigest(filings), evidence_digest);
}

function compare(what: string, expected: string, actual: string): Problem[] {
  return expected === actual ? [] : [{ what, expected, actual }];
}

/** What a success proves and what it does not, for a person. */
export function provenWords(id: string, isExpected: boolean): string {
  const proven = 'ok: every id is the hash of its content, and the brief does not contradict itself.';
  return isExpected
    ? `${proven} It is ${id}, as expected.`
    : `${proven} These numbers belong to ${id}; ask the API whether that id is Tidemark's (GET /v1/briefs/{brief_id}).`;
}

/** The payload of the API's envelope, which has nothing beside it, or the JSON itself. */
export function unwrapped(json: unknown): unknown {
  const isEnvelope = typeof json === 'object' && json !== null && 'data' in json;
  return isEnvelope && Object.keys(json).length === 1 ? json.data : json;
}

/** Reads JSON that says one thing to every reader: throws where an object has a member twice. */
export function readOnce(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const written = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;
  if (written !== countMembers(value)) throw new SyntaxError('An object has a member twice.');
  return value;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return members.reduce((sum, one) => sum + countMembers(one), Array.isArray(value) ? 0 : members.length);
}

const reading = {
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
};

const listed = z.array(z.looseObject(reading));

const items = z.array(
  z.looseObject({
    ...reading,
    kind: z.string(),
    accession_number: z.string(),
    source_url: z.string(),
    human_url: z.string(),
  }),
);

const envelope = z.pipe(
  z.looseObject({ evidence: items }),
  z.transform(({ evidence }) => evidence),
);

const page = z.union([items, envelope]);

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
 * the digest of the ids, bytes and parsers of all, that each leads to the filing of its id, and the rows of each
 * filing that the brief displays.
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
      ...evidence.flatMap(addressesOf).flatMap(compareDerived),
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

function readingOf(item: Pick<z.output<typeof listed>[number], keyof typeof reading> | undefined): string {
  if (item === undefined) return 'none';
  return `${item.raw_hash} read by ${item.parser_version}, rows ${item.rows || 'none'}`;
}
