import { expect, test } from 'vitest';
import { accessionNo, builtFrom, cikOf, form4, observation } from './brief.sample.ts';
import { evidenceItem, evidenceRecords } from './evidence.ts';
import { verifyEvidence } from './verify.ts';

const {
  input,
  brief,
  evidence: behind,
} = builtFrom({ observations: [observation()], ownershipFilings: [form4({ number: 1 })] });
const evidence = evidenceRecords(behind, input.evidence).map(({ rows, ...source }) => ({
  ...evidenceItem(source),
  rows,
}));
const whats = (...pages: unknown[]) =>
  verifyEvidence({ data: brief }, pages).problems.map(({ what }) => what);

test('accepts the whole list as one page, as pages in any order, and as a bare array', () => {
  expect(evidence.length).toBeGreaterThan(1);
  expect(whats({ data: { brief_id: brief.brief_id, evidence } })).toEqual([]);
  expect(whats({ evidence: evidence.slice(1) }, { data: { evidence: evidence.slice(0, 1) } })).toEqual([]);
  expect(whats(evidence)).toEqual([]);
});

test('finds other bytes and another parser of a filing that is not on display', () => {
  const {
    input,
    brief,
    evidence: behind,
  } = builtFrom({
    observations: Array.from({ length: 12 }, (_, n) =>
      observation({ cik: cikOf(n + 1), accessions: [accessionNo(n + 1)], rowsUsed: [] }),
    ),
  });
  const pages = evidenceRecords(behind, input.evidence).map(({ rows, ...source }) => ({
    ...evidenceItem(source),
    rows,
  }));
  const shown = new Set(brief.manifest.filings.map(({ evidence_id }) => evidence_id));
  const forged = (change: object) =>
    verifyEvidence(brief, [
      pages.map((item) => (shown.has(item.evidence_id) ? item : { ...item, ...change })),
    ]);
  expect(forged({}).ok).toBe(true);
  for (const change of [{ raw_hash: `sha256:${'0'.repeat(64)}` }, { parser_version: '2' }]) {
    expect(forged(change).problems.map(({ what }) => what)).toEqual(['evidence digest']);
  }
});

test('finds an address of another filing', () => {
  const [first, ...others] = evidence;
  if (first === undefined) throw new Error('the brief has evidence');
  for (const change of [
    { human_url: 'https://www.sec.gov.example/' },
    { source_url: first.source_url.replace(/.$/, '') },
    { accession_number: '0000000000-18-000001' },
  ])
    expect(whats([{ ...first, ...change }, ...others])).toHaveLength(1);
});

test('names what is missing, and what was read otherwise than the brief says', () => {
  const [first, ...others] = evidence;
  if (first === undefined) throw new Error('the brief has evidence');
  expect(whats(others)).toEqual(['evidence count', 'evidence digest', `evidence of ${first.evidence_id}`]);
  const changed = { ...first, rows: [...first.rows, 99] };
  expect(whats([changed, ...others])).toEqual([`evidence of ${first.evidence_id}`]);
  expect(whats([first, first, ...others])).toEqual(['evidence count']);
  expect(whats({ pages: [] })).toEqual(['canonical form']);
});
