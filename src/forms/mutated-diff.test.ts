import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folded, type Pair, realFiling, realPair, withRows } from '../../test/filed-positions.ts';
import { diffReports } from '../domain/change/diff.ts';
import { corporateActionsByCusip } from '../domain/change/restate.ts';
import type { InfoTableRow, ThirteenF } from '../domain/filing/filing.ts';
import type { Accession, IsoDate } from '../domain/ids.ts';
import { nextQuarterEnd } from '../domain/quarter.ts';
import { keyText } from '../domain/report/aggregate.ts';
import type { PositionKey, ReportChanges } from '../domain/report/report.ts';

type Edit = { readonly at: number; readonly kind: 'drop' | 'grow' | 'shrink' | 'clear' };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({ at: fc.nat(), kind: fc.constantFrom<Edit['kind'][]>('drop', 'grow', 'shrink', 'clear') }),
  { maxLength: 12 },
);

/** A real pair of quarters with random trades in the later one. */
const tradedPair: fc.Arbitrary<Pair> = fc
  .tuple(realPair, edits)
  .map(([[prior, current], list]) => [prior, traded(current, list)]);

it('the changes applied to the prior quarter give the current one, key by key (rule 5.2)', () => {
  fc.assert(
    fc.property(tradedPair, (pair) => {
      const { prior, current, changes } = compared(pair);
      const applied = new Map(amounts(prior.positions));
      for (const change of changes) {
        const key = keyText(change);
        expect(change.priorAmount).toBe(applied.get(key) ?? 0n);
        const amount = (applied.get(key) ?? 0n) + change.amountDelta;
        expect(amount).toBe(change.amount);
        if (change.change === 'EXITED') applied.delete(key);
        else applied.set(key, amount);
      }
      expect([...applied].sort()).toEqual([...amounts(current.positions)].sort());
    }),
  );
});

it('NEW and EXITED are exactly the keys of only one quarter, and the rest are in both (rule 5.2)', () => {
  fc.assert(
    fc.property(tradedPair, (pair) => {
      const { prior, current, changes } = compared(pair);
      const before = new Set(prior.positions.map(keyText));
      const now = new Set(current.positions.map(keyText));
      const keys = (...kinds: string[]): string[] =>
        changes.filter(({ change }) => kinds.includes(change)).map(keyText);
      expect(keys('NEW')).toEqual([...now].filter((key) => !before.has(key)));
      expect(keys('EXITED')).toEqual([...before].filter((key) => !now.has(key)));
      expect(keys('ADDED', 'REDUCED', 'HELD')).toEqual([...now].filter((key) => before.has(key)));
    }),
  );
});

it('positions compared with themselves are all HELD, with a change of 0 shares and 0 percent (rule 5.2)', () => {
  fc.assert(
    fc.property(realFiling, (filing) => {
      const { changes } = compared([filing, nextQuarterOf(filing)]);
      expect(changes.length).toBeGreaterThan(0);
      for (const change of changes) {
        expect(change).toMatchObject({ change: 'HELD', amountDelta: 0n, pctDelta: 0 });
        expect(change.reasons).not.toContain('split_suspected');
      }
    }),
  );
});

it('the quarter decides which report is prior, not the day of filing (rule 5.1)', () => {
  fc.assert(
    fc.property(realPair, ([prior, current]) => {
      const late = {
        ...prior,
        header: { ...prior.header, filedDate: '2022-12-30' as IsoDate, acceptedAt: null },
      };
      const told = ({ changes }: ReportChanges) =>
        changes.map(({ change, amountDelta }) => [change, amountDelta]);
      expect(told(compared([late, current]))).toEqual(told(compared([prior, current])));
    }),
  );
});

it('values at another scale change neither shares nor changes (rule 5.2)', () => {
  fc.assert(
    fc.property(tradedPair, fc.constantFrom(1_000n, 1_000_000n), ([prior, current], factor) => {
      const scaled = withRows(
        current,
        current.rows.map((row) => ({ ...row, value: row.value * factor })),
      );
      const told = ({ changes }: ReportChanges) =>
        changes.map(({ change, amount, priorAmount, amountDelta, pctDelta, ...key }) => {
          return [keyText(key), change, amount, priorAmount, amountDelta, pctDelta];
        });
      expect(told(compared([prior, scaled]))).toEqual(told(compared([prior, current])));
    }),
  );
});

it('a confirmed split of any factor leaves untraded positions HELD and principal unchanged (rule 5.3)', () => {
  fc.assert(
    fc.property(realFiling, fc.nat(), fc.constantFrom(2n, 3n, 5n, 20n), (filing, at, numerator) => {
      const { cusip } = filing.rows[at % filing.rows.length] as InfoTableRow;
      if (cusip === null) return;
      const after = nextQuarterOf(filing);
      const split = withRows(
        after,
        after.rows.map((row) =>
          row.cusip === cusip && row.amountType === 'SH' ? { ...row, amount: row.amount * numerator } : row,
        ),
      );
      const factor = { numerator, denominator: 1n };
      const vote = { kind: 'split', cusip, factor, votes: 9, compared: 10, unchanged: 0 } as const;
      const { changes } = diffReports(folded([split]), folded([filing]), corporateActionsByCusip([vote]));
      expect(changes.filter(({ change }) => change !== 'HELD')).toEqual([]);
      expect(changes.filter((change) => change.reasons.includes('split_adjusted')).map(cusipOf)).toEqual(
        changes.filter((change) => change.cusip === cusip && change.amountType === 'SH').map(cusipOf),
      );
    }),
  );
});

function cusipOf({ cusip }: PositionKey): string {
  return cusip;
}

function compared([before, now]: Pair) {
  const prior = folded([before]);
  const current = folded([now]);
  const changes = diffReports(current, prior);
  expect(changes.comparable).toBe(true);
  return { ...changes, prior, current };
}

function amounts(positions: readonly (PositionKey & { readonly amount: bigint })[]): [string, bigint][] {
  return positions.map((position) => [keyText(position), position.amount]);
}

function nextQuarterOf(filing: ThirteenF): ThirteenF {
  const accession = '0009999999-99-000001' as Accession;
  return {
    ...filing,
    quarterEnd: nextQuarterEnd(filing.quarterEnd),
    header: { ...filing.header, accession },
  };
}

function traded(filing: ThirteenF, list: readonly Edit[]): ThirteenF {
  const rows: (InfoTableRow | null)[] = [...filing.rows];
  for (const { at, kind } of list) {
    const place = at % rows.length;
    const row = rows[place];
    if (row) rows[place] = edited(row, kind);
  }
  return withRows(
    filing,
    rows.filter((row) => row !== null),
  );
}

function edited(row: InfoTableRow, kind: Edit['kind']): InfoTableRow | null {
  if (kind === 'drop') return null;
  if (kind === 'clear') return { ...row, amount: 0n, value: 0n };
  return { ...row, amount: kind === 'grow' ? row.amount * 2n + 1n : row.amount / 3n };
}
