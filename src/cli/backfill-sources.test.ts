import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import { fileSources } from './backfill-sources.ts';

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
