import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folded, heldIn, realPair, refiled, withRows } from '../../test/filed-positions.ts';
import type { InfoTableRow, ThirteenF } from '../domain/filing/filing.ts';
import { keyText } from '../domain/report/aggregate.ts';
import type { EffectiveReport } from '../domain/report/report.ts';

const restatement = { amendmentType: 'restatement', amendmentNumber: 1 } as const;
const newHoldings = { amendmentType: 'new_holdings', amendmentNumber: 2 } as const;

/** A real report, and rows of the prior quarter that it lacks: it could have left them out. */
const reportWithExtras: fc.Arbitrary<[ThirteenF, ThirteenF]> = realPair
  .map(([prior, current]): [ThirteenF, ThirteenF] => [current, withRows(current, extrasOf(prior, current))])
  .filter(([, extra]) => extra.rows.length > 0);

it('a restatement of the same rows changes nothing but the accession (rule 2.8)', () => {
  fc.assert(
    fc.property(realPair, fc.integer({ min: 1, max: 300 }), ([, original], day) => {
      const again = refiled(original, day, restatement);
      const before = folded([original]);
      const after = folded([original, again]);
      expect(heldIn(after)).toEqual(heldIn(before));
      expect(after.reasons).toEqual(before.reasons);
      expect(after.rowCount).toBe(before.rowCount);
      for (const { accessions } of after.positions) expect(accessions).toEqual([again.header.accession]);
    }),
  );
});

it('holdings that are added are summed to the original, each with its filing (rule 2.8)', () => {
  fc.assert(
    fc.property(reportWithExtras, ([original, extra]) => {
      const added = refiled(extra, 40, newHoldings);
      const sum = heldIn(folded([withRows(original, [...original.rows, ...extra.rows])]));
      const report = folded([original, added]);
      expect(amountsOf(report)).toEqual(amountsOf({ positions: [...positionsOf(original, extra)] }));
      expect([...heldIn(report).keys()].sort()).toEqual([...sum.keys()].sort());
      const keys = new Set(extra.rows.map((row) => keyText({ ...row, cusip: row.cusip as never })));
      for (const position of report.positions) {
        const source = keys.has(keyText(position)) ? added : original;
        expect(position.accessions).toEqual([source.header.accession]);
      }
    }),
  );
});

it('rows that are added and then restated away leave the original (rule 2.8)', () => {
  fc.assert(
    fc.property(reportWithExtras, ([original, extra]) => {
      const added = refiled(extra, 40, newHoldings);
      const again = refiled(original, 80, { ...restatement, amendmentNumber: 3 });
      const report = folded([original, added, again]);
      expect(heldIn(report)).toEqual(heldIn(folded([original])));
      expect(report.reasons).toEqual(folded([original]).reasons);
    }),
  );
});

it('filings in any order, and repeated, give the same report in every field (rule 2.8)', () => {
  const filings = reportWithExtras.map(([original, extra]) => [
    original,
    refiled(extra, 40, newHoldings),
    refiled(original, 80, { ...restatement, amendmentNumber: 3 }),
    refiled(extra, 90, { ...newHoldings, amendmentNumber: 4 }),
  ]);
  const disordered = filings.chain((list) =>
    fc
      .tuple(fc.shuffledSubarray(list, { minLength: list.length }), fc.subarray(list))
      .map(([shuffled, repeated]) => [list, [...shuffled, ...repeated]] as const),
  );
  fc.assert(
    fc.property(disordered, ([list, shuffled]) => {
      expect(folded(shuffled)).toEqual(folded(list));
    }),
  );
});

it('a restatement with a small part of the rows is not applied, whichever rows they are (rule 2.9)', () => {
  fc.assert(
    fc.property(realPair, fc.nat(), ([, original], at) => {
      fc.pre(original.rows.length > 15);
      const few = [0, 1, 2].map((step) => original.rows[(at + step) % original.rows.length] as InfoTableRow);
      const report = folded([original, refiled(withRows(original, few), 30, restatement)]);
      expect(heldIn(report)).toEqual(heldIn(folded([original])));
      expect(report.reasons).toContain('partial_restatement_suspected');
    }),
  );
});

it('a notice changes nothing in a report of the same quarter (rule 2.11)', () => {
  fc.assert(
    fc.property(realPair, fc.integer({ min: -20, max: 60 }), ([, original], day) => {
      fc.pre(day !== 0);
      const empty = { reportType: 'notice', rows: [], declaredEntryTotal: null } as const;
      const notice = refiled(original, Math.abs(day), { ...empty, declaredValueTotal: null });
      const header = { ...notice.header, form: '13F-NT' };
      const report = folded([{ ...notice, header }, original]);
      expect(report.state).toBe('holdings');
      expect(heldIn(report)).toEqual(heldIn(folded([original])));
    }),
  );
});

function extrasOf(prior: ThirteenF, current: ThirteenF): InfoTableRow[] {
  const held = new Set(current.rows.map(({ cusip }) => cusip));
  return prior.rows.filter(({ cusip }) => cusip !== null && !held.has(cusip));
}

function positionsOf(...filings: readonly ThirteenF[]) {
  return filings.flatMap((filing) => folded([filing]).positions);
}

function amountsOf({ positions }: Pick<EffectiveReport, 'positions'>): Map<string, bigint> {
  return new Map(positions.toSorted(byKey).map((position) => [keyText(position), position.amount]));
}

function byKey(a: EffectiveReport['positions'][number], b: EffectiveReport['positions'][number]): number {
  return keyText(a) < keyText(b) ? -1 : 1;
}
