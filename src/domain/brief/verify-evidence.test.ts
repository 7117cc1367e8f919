import { expect, test } from 'vitest';
import { builtFrom, form4, observation } from './brief.sample.ts';
import { evidenceItem, evidenceRecords } from './evidence.ts';
import { verifyEvidence } from './verify-evidence.ts';

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

test('names what is missing, and what was read otherwise than the brief says', () => {
  const [first, ...others] = evidence;
  if (first === undefined) throw new Error('the brief has evidence');
  expect(whats(others)).toEqual(['evidence count', 'evidence digest', `evidence of ${first.evidence_id}`]);
  const changed = { ...first, rows: [...first.rows, 99] };
  expect(whats([changed, ...others])).toEqual([`evidence of ${first.evidence_id}`]);
  expect(whats([first, first, ...others])).toEqual(['evidence count']);
  expect(whats({ pages: [] })).toEqual(['canonical form']);
});
