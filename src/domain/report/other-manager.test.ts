import { expect, test } from 'vitest';
import { sampleManager } from '../filing/filing.sample.ts';
import type { Cik } from '../ids.ts';
import { filerIndex, filerKeys, filersByName } from './other-manager.ts';

const [ONE, OTHER, THIRD] = ['0000000001', '0000000002', '0000000003'] as [Cik, Cik, Cik];

const indexOf = (...filers: readonly [cik: Cik, name: string, fileNumber: string | null][]) =>
  filerIndex(filers.map(([cik, name, fileNumber]) => ({ cik, keys: filerKeys({ name, fileNumber }) })));

test('a list names a filer by its number, else by its name; one that several have names none (rule 2.12)', () => {
  const prior = indexOf([ONE, 'Alpha Co.', '028-00001'], [OTHER, 'Beta', '28-2']);
  const current = indexOf([ONE, 'Alpha', '28-1'], [THIRD, 'Beta', null]);
  const cikOf = filersByName(
    () => prior,
    () => current,
  );
  expect(cikOf(sampleManager({ name: 'Beta', form13fFileNumber: '028-00001' }))).toBe(ONE);
  expect(cikOf(sampleManager({ name: 'ALPHA CO' }))).toBe(ONE);
  expect(cikOf(sampleManager({ name: 'Beta' }))).toBeNull();
  expect(cikOf(sampleManager({ name: 'Beta', cik: THIRD }))).toBe(THIRD);
});

test('a list without a name or a number names no filer, not even one without a name', () => {
  const nameless = indexOf([ONE, '', null]);
  const cikOf = filersByName(
    () => nameless,
    () => nameless,
  );
  expect(cikOf(sampleManager({ name: '' }))).toBeNull();
});
