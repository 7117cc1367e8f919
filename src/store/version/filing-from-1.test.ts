import { expect, test } from 'vitest';
import { discoveredDoc, parsedDoc } from '../../../test/filings/doc.ts';
import { ownershipOf, thirteenFOf } from '../../../test/filings/read.ts';
import type { Accession } from '../../domain/ids.ts';
import type { FilingDoc } from '../filing/filings.ts';
import { type FilingBefore, migratedFiling } from './filing-from-1.ts';

/** The fields that every form has, as they were stored. */
function shared(doc: FilingDoc): Omit<FilingBefore, 'thirteenF' | 'ownership'> {
  const { leg: _leg, followers: _followers, content: _content, rows: _rows, ...others } = doc;
  const { tries: attempt, reportingOwnerCiks: ownerCiks, ...kept } = others;
  return { ...kept, attempt, ownerCiks };
}

test('a stored 13F keeps its cover and its row pages when it is migrated', () => {
  const rows = { source: '13f-2|0123456789abcdef', pages: 1, count: 1 };
  const doc = parsedDoc(thirteenFOf('13f/0000950123-18-011885.txt'), { rows });
  if (doc.content?.kind !== 'thirteen_f') throw new Error('not a 13F');
  const { kind: _kind, ...cover } = doc.content;
  const thirteenF = { ...cover, rowCount: 1, rowPages: 1, rowsVersion: rows.source };
  const before: FilingBefore = { ...shared(doc), thirteenF, ownership: null };
  expect(migratedFiling(before)).toEqual(doc);
});

test.each([
  ['0001214659-20-002786', '4'],
  ['0000814585-20-000025', '4/A'],
])('a stored ownership document is whole after it is migrated: %s, a %s', (accession, form) => {
  const doc = parsedDoc(ownershipOf(`form-4/${accession}.txt`));
  if (doc.content?.kind !== 'ownership') throw new Error('not an ownership document');
  const { isAmendment: _isAmendment, ...ownership } = doc.content;
  const before: FilingBefore = { ...shared(doc), thirteenF: null, ownership: { ...ownership, form } };
  expect(migratedFiling(before)).toEqual(doc);
});

test.each(['13F-NT/A', '4'])('a %s that is not parsed yet gets the leg of its form', (form) => {
  const doc = discoveredDoc('0001214659-20-002786' as Accession, form);
  expect(migratedFiling({ ...shared(doc), thirteenF: null, ownership: null })).toEqual(doc);
});
