import { expect, test } from 'vitest';
import { provenanceOf } from './result.ts';

const A = '0000320193-18-000001';
const B = '0000320193-18-000002';
const C = '0001067983-18-000003';

test('names each filing of the body once, in its order, from accession numbers and evidence ids', () => {
  const body = {
    data: {
      filing: { accession_number: B },
      rows: [{ evidence_ids: [`sec:13f:${A}`, `sec:form4:${C}`] }, { evidence_ids: [`sec:13f:${A}`] }],
      nested: { deep: [{ accession_number: C }] },
    },
  };
  expect(provenanceOf(body).accession_numbers).toEqual([B, A, C]);
});

test('has the latest time of retrieval and every parser version', () => {
  const body = {
    evidence: [
      { retrieved_at: '2018-11-15T00:00:00.000Z', parser_version: 'form4-1' },
      { retrieved_at: '2018-11-16T00:00:00.000Z', parser_version: '13f-1' },
      { retrieved_at: '2018-11-14T00:00:00.000Z', parser_version: 'form4-1' },
    ],
  };
  expect(provenanceOf(body)).toEqual({
    source: 'SEC EDGAR',
    accession_numbers: [],
    retrieved_at: '2018-11-16T00:00:00.000Z',
    parser_version: '13f-1, form4-1',
  });
});

test('is null when the body has no value, and ignores text that is not an accession number', () => {
  const body = {
    data: { accession_number: 'x', evidence_ids: 'sec:13f:x', retrieved_at: null, list: [null, 1] },
  };
  expect(provenanceOf(body)).toEqual({
    source: 'SEC EDGAR',
    accession_numbers: [],
    retrieved_at: null,
    parser_version: null,
  });
});
