import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import { fileSources, finishedEarly } from './backfill-sources.ts';

test('files are imported in the order of their days of filing, whatever their names sort by', async () => {
  const names = [
    '01dec2024-28feb2025_form13f',
    '01jan2024-29feb2024_form13f',
    '01mar2024-31may2024_form13f',
    '2023q4_form13f',
    'made-by-hand',
  ];
  const sources = await fileSources(
    {} as Db,
    '13f',
    names.map((name) => `/sets/${name}.zip`),
  );
  expect(sources.map(({ name }) => name)).toEqual([
    'made-by-hand',
    '2023q4_form13f',
    '01jan2024-29feb2024_form13f',
    '01mar2024-31may2024_form13f',
    '01dec2024-28feb2025_form13f',
  ]);
});

test('published sets are finished as soon as the set before is stored, files all together at the end', () => {
  const sources = (['2018q4', '2018q3', '2018q2'] as const).map((quarter) => ({
    name: `${quarter}_form13f`,
    kind: '13f' as const,
  }));
  const imported = sources.map(({ name }) => ({ dataSet: name, complete: name !== '2018q2_form13f' }));
  expect(finishedEarly(sources, imported.slice(0, 1), 'newest_first')).toEqual([]);
  expect(finishedEarly(sources, imported, 'newest_first')).toEqual(['2018q4_form13f']);
  expect(finishedEarly(sources, imported, 'oldest_first')).toEqual([]);
  // Trades are reconciled once for all sets.
  const trades = [
    { name: '2018q4_form345', kind: 'form4' as const },
    { name: '2018q3_form345', kind: 'form4' as const },
  ];
  const stored = trades.map(({ name }) => ({ dataSet: name, complete: true }));
  expect(finishedEarly(trades, stored, 'newest_first')).toEqual([]);
});
