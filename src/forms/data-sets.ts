import type { DataSetFormat } from './data-set.ts';
import { form4DataSet } from './form-4/data-set.ts';
import { thirteenFDataSet } from './form-13f/data-set.ts';

/** The data sets that can be imported, by the name that operators give them. */
export const DATA_SETS = {
  '13f': thirteenFDataSet,
  form4: form4DataSet,
} as const satisfies Record<string, DataSetFormat>;

export type DataSetKind = keyof typeof DATA_SETS;
