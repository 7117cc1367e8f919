import { expect, test } from 'vitest';
import { sha256Hex } from '../canonical.ts';
import type { Cik } from '../ids.ts';
import {
  accessionNo,
  briefInput,
  builtFrom,
  form4,
  type InputFields,
  observation,
  reportingOwner,
} from './brief.sample.ts';
import { buildBrief } from './brief.ts';
import { evidenceDigest } from './content-id.ts';
import { MAX_EVIDENCE_IDS } from './holder-facts.ts';
import { verifyBrief } from './verify.ts';

const OTHER_BYTES = `sha256:${'0'.repeat(64)}`;
const asRead = (evidence_id: string) => ({ evidence_id, raw_hash: null, parser_version: '1' });

const now = accessionNo(1);
const supplement = accessionNo(2);
const before = accessionNo(3);
const added = observation({
  accessions: [now, supplement, before],
  rowsUsed: [
    { accession: now, rows: '11-13' },
    { accession: before, rows: '4,9' },
  ],
});
const sale = form4({ number: 7, rows: [{ code: 'A' }, { shares: '5' }, { shares: '6' }] });
const input = briefInput({ observations: [added], ownershipFilings: [sale] });

test('the manifest names the bytes, the parser and the rows behind every number', () => {
  const { manifest } = buildBrief(input);
  expect(manifest.filings.map(({ evidence_id, rows }) => [evidence_id, rows])).toEqual([
    [`sec:13f:${now}`, '11-13'],
    [`sec:13f:${supplement}`, ''],
    [`sec:13f:${before}`, '4,9'],
    [`sec:form4:${accessionNo(500_007)}`, '2-3'],
  ]);
  expect(
    manifest.filings.every(({ parser_version, raw_hash }) => parser_version === '1' && raw_hash === null),
  ).toBe(true);
});

test('other bytes of one cited filing make another manifest and another brief', () => {
  const other = new Map(input.evidence);
  const source = other.get(supplement);
  if (source === undefined) throw new Error('the sample covers every accession');
  other.set(supplement, { ...source, rawHash: `sha256:${'a'.repeat(64)}` });
  const [one, two] = [buildBrief(input), buildBrief({ ...input, evidence: other })];
  expect(two.manifest.manifest_id).not.toBe(one.manifest.manifest_id);
  expect(two.brief_id).not.toBe(one.brief_id);
});

test('a filing on display that was not loaded is an error', () => {
  const evidence = new Map([...input.evidence].filter(([accession]) => accession !== supplement));
  expect(() => buildBrief({ ...input, evidence })).toThrow(/No evidence was loaded/);
});

/** Managers with one accession of their own each. */
const held = (managers: number): InputFields => ({
  observations: Array.from({ length: managers }, (_, n) =>
    observation({
      cik: String(n + 1).padStart(10, '0') as Cik,
      accessions: [accessionNo(n + 1)],
      rowsUsed: [{ accession: accessionNo(n + 1), rows: String(n + 1) }],
      currentShares: BigInt(1_000 + n),
    }),
  ),
});

test.each([MAX_EVIDENCE_IDS, MAX_EVIDENCE_IDS + 1])(
  'a digest binds all evidence; its ids are listed up to 500, beyond that those displayed: %i (rule 8.6)',
  (managers) => {
    const { brief, evidence } = builtFrom(held(managers));
    const { manifest, evidence_scope, institutional } = brief;
    const all = evidence.map(({ evidence_id }) => evidence_id);
    const displayed = institutional.changes.flatMap((change) => change.evidence_ids).sort();
    const isListed = managers <= MAX_EVIDENCE_IDS;
    expect(all).toHaveLength(managers);
    expect(manifest.evidence_ids).toEqual(isListed ? all : displayed);
    expect(manifest.evidence_id_count).toBe(managers);
    expect(manifest.evidence_digest).toBe(evidenceDigest(all.map(asRead)));
    expect(evidence_scope.aggregate_claim_evidence_ids_complete).toBe(isListed);
    expect(evidence_scope.manifest_evidence_id_count).toBe(manifest.evidence_ids.length);
    const stance = manifest.claims.find(({ kind }) => kind === 'institutional_stance');
    const field = isListed ? 'manifest.evidence_ids' : 'manifest.evidence_digest';
    expect(stance?.evidence_reference).toEqual({ field, evidence_id_count: managers });
    expect(verifyBrief(brief)).toEqual({ ok: true, problems: [] });
  },
);

test.each([
  [0, 0],
  [0, 2],
  [3, 0],
  [3, 2],
  [MAX_EVIDENCE_IDS, 1],
  [MAX_EVIDENCE_IDS + 1, 9],
])('the digest is over %i reports, then of %i Forms 4 (rule 8.6)', (managers, forms) => {
  const ownershipFilings = Array.from({ length: forms }, (_, number) => form4({ number }));
  const { brief, evidence } = builtFrom({ ...held(managers), ownershipFilings });
  const all = evidence.map(({ evidence_id }) => evidence_id);
  expect(all).toHaveLength(managers + forms);
  expect(brief.manifest.evidence_digest).toBe(evidenceDigest(all.map(asRead)));
  expect(brief.manifest.evidence_id_count).toBe(all.length);
});

test('a brief of 6,000 holders is no larger than 64 KB, and at most twice one of 60 (rule 8.6)', () => {
  const bytes = (managers: number) =>
    Buffer.byteLength(JSON.stringify({ data: buildBrief(briefInput(held(managers))) }));
  expect(bytes(6_000)).toBeLessThan(64 * 1024);
  expect(bytes(MAX_EVIDENCE_IDS)).toBeLessThan(64 * 1024);
  expect(bytes(6_000)).toBeLessThan(2 * bytes(60));
});

test('a brief stays below 64 KB with many owners, long footnotes and thousands of rows (rule 8.6)', () => {
  const owners = Array.from({ length: 10 }, (_, n) => reportingOwner(n));
  const footnotes = Array.from({ length: 20 }, (_, n) => ({ id: `F${n}`, text: `${n}${'x'.repeat(990)}` }));
  const footnoteIds = { transactionPricePerShare: footnotes.map(({ id }) => id) };
  const ownershipFilings = Array.from({ length: 8 }, (_, n) =>
    form4({ number: n, owners, footnotes, rows: [{ footnoteIds, shares: `${n + 1}` }] }),
  );
  const rows = Array.from({ length: 3_000 }, (_, n) => 2 * n + 1).join(',');
  const { observations = [] } = held(MAX_EVIDENCE_IDS - 8);
  const spread = observations.map((one) => ({
    ...one,
    rowsUsed: one.rowsUsed.map((used) => ({ ...used, rows })),
  }));
  const { brief, evidence } = builtFrom({ observations: spread, ownershipFilings });
  expect(Buffer.byteLength(JSON.stringify({ data: brief }))).toBeLessThan(64 * 1024);
  const stated = brief.manifest.filings.map((filing) => filing.rows);
  expect(stated).toContain(`sha256:${sha256Hex(rows)}`);
  expect(evidence[0]?.rows).toHaveLength(3_000);
});

test('a digest of other bytes is found where all evidence is on display', () => {
  const brief = structuredClone(
    buildBrief(briefInput({ observations: [observation({ accessions: [now], rowsUsed: [] })] })),
  );
  const [first] = brief.manifest.filings;
  if (first === undefined) throw new Error('the brief shows it');
  brief.manifest.evidence_digest = evidenceDigest([{ ...first, raw_hash: OTHER_BYTES }]);
  expect(verifyBrief(brief).problems.map(({ what }) => what)).toContain('manifest.evidence_digest');
});
