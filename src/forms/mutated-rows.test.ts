import fc from 'fast-check';
import { expect, it } from 'vitest';
import { folded, heldIn, realFiling, withRows } from '../../test/filed-positions.ts';
import type { InfoTableRow, ThirteenF } from '../domain/filing/filing.ts';
import type { Cusip } from '../domain/ids.ts';
import { isPlaceholder, keyText } from '../domain/report/aggregate.ts';

/** A real filing, one of its rows, and a number that the mutation of that row uses. */
const filingAndRow: fc.Arbitrary<[ThirteenF, number, bigint]> = fc
  .tuple(realFiling, fc.nat(), fc.bigInt(1n, 99n))
  .map(([filing, at, part]) => [filing, at % filing.rows.length, part]);

it('rows in any order give the same positions (rule 2.4)', () => {
  fc.assert(
    fc.property(shuffledRows(), ([filing, shuffled]) => {
      expect(heldIn(folded([shuffled]))).toEqual(heldIn(folded([filing])));
    }),
  );
});

it('a row split in two between other managers leaves every position as it was (rule 2.4)', () => {
  fc.assert(
    fc.property(filingAndRow, ([filing, at, part]) => {
      const row = filing.rows[at] as InfoTableRow;
      const amount = (row.amount * part) / 100n;
      const value = (row.value * part) / 100n;
      const rows = filing.rows.toSpliced(
        at,
        1,
        { ...row, amount, value, otherManagers: '4,11', discretion: 'DFND' },
        {
          ...row,
          amount: row.amount - amount,
          value: row.value - value,
          otherManagers: '',
          discretion: 'SOLE',
        },
      );
      expect(heldIn(folded([undeclared(withRows(filing, rows))]))).toEqual(heldIn(folded([filing])));
    }),
  );
});

it('any spelling of an issuer or of a class leaves every position as it was (rule 2.4)', () => {
  const spelling = fc.constantFrom('INC', 'Inc.', 'CORP NEW', '', '  DEL ', 'CL A');
  fc.assert(
    fc.property(realFiling, fc.array(spelling, { minLength: 1 }), (filing, words) => {
      const renamed = withRows(
        filing,
        filing.rows.map((row, index) => ({
          ...row,
          issuer: `${row.issuer.slice(0, 4 + (index % 5))} ${words[index % words.length]}`,
          titleOfClass: words[(index + 1) % words.length] ?? '',
        })),
      );
      expect(heldIn(folded([renamed]))).toEqual(heldIn(folded([filing])));
    }),
  );
});

it('a removed row changes its own position and no other (rule 2.4)', () => {
  fc.assert(
    fc.property(filingAndRow, ([filing, at]) => {
      const row = filing.rows[at] as InfoTableRow & { cusip: Cusip };
      // Berkshire files a few rows without a position.
      fc.pre(!isPlaceholder(row));
      const before = heldIn(folded([filing]));
      const after = heldIn(folded([undeclared(withRows(filing, filing.rows.toSpliced(at, 1)))]));
      expect(after.get(keyText(row))).not.toEqual(before.get(keyText(row)));
      before.delete(keyText(row));
      after.delete(keyText(row));
      expect(after).toEqual(before);
    }),
  );
});

it('a placeholder row among real ones is no position (rule 2.6)', () => {
  fc.assert(
    fc.property(filingAndRow, ([filing, at]) => {
      const row = filing.rows[at] as InfoTableRow;
      const nothing = { ...row, cusip: null, cusipAsFiled: '000000000', amount: 0n, value: 0n };
      const report = folded([undeclared(withRows(filing, filing.rows.toSpliced(at, 0, nothing)))]);
      expect(heldIn(report)).toEqual(heldIn(folded([filing])));
      expect(report.reasons).toEqual(folded([undeclared(filing)]).reasons);
    }),
  );
});

it('an option on a security is never added to the security itself (rule 2.5)', () => {
  fc.assert(
    fc.property(filingAndRow, fc.constantFrom('PUT' as const, 'CALL' as const), ([filing, at], putCall) => {
      const row = filing.rows[at] as InfoTableRow & { cusip: Cusip };
      const option = { ...row, putCall, amount: 777n, value: 3n };
      const before = heldIn(folded([filing]));
      const after = heldIn(folded([undeclared(withRows(filing, [...filing.rows, option]))]));
      expect(after.get(keyText(option))).not.toEqual(before.get(keyText(option)));
      before.delete(keyText(option));
      after.delete(keyText(option));
      expect(after).toEqual(before);
    }),
  );
});

function shuffledRows(): fc.Arbitrary<[ThirteenF, ThirteenF]> {
  return realFiling.chain((filing) =>
    fc
      .shuffledSubarray([...filing.rows], { minLength: filing.rows.length })
      .map((rows): [ThirteenF, ThirteenF] => [filing, withRows(filing, rows)]),
  );
}

/** Without the declared totals, which the mutation makes wrong. */
function undeclared(filing: ThirteenF): ThirteenF {
  return { ...filing, declaredEntryTotal: null, declaredValueTotal: null };
}
