import { expect, test } from 'vitest';
import { accessionNo, briefInput, form4, observation } from './brief.sample.ts';
import { buildBrief } from './brief.ts';

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
    [`sec:13f:${now}`, [11, 12, 13]],
    [`sec:13f:${supplement}`, []],
    [`sec:13f:${before}`, [4, 9]],
    [`sec:form4:${accessionNo(500_007)}`, [2, 3]],
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

test('a cited filing that was not loaded is an error, displayed or not', () => {
  const evidence = new Map([...input.evidence].filter(([accession]) => accession !== supplement));
  expect(() => buildBrief({ ...input, evidence })).toThrow(/No evidence was loaded/);
});
