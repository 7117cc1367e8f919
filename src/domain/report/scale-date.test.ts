import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import { foldReport } from './fold.ts';

const schema = fc.constantFrom(null, 'X0101', 'X0202', 'X0404');
const quarter = fc.constantFrom('2013-03-31', '2022-09-30', '2022-12-31', '2023-03-31');

it('the filing date decides the scale, not the schema version or the quarter (rule 2.1)', () => {
  const rows = [sampleRow({ value: 7n, amount: 100n })];
  fc.assert(
    fc.property(schema, quarter, (schemaVersion, quarterEnd) => {
      const filed = (filedDate: string) =>
        foldReport([sampleFiling({ filedDate, schemaVersion, quarterEnd: quarterEnd as never, rows })])
          ?.positions[0]?.valueCents;
      expect(filed('2023-01-02')).toBe(700_000n);
      expect(filed('2023-01-03')).toBe(700n);
    }),
  );
});
