import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleFiling, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { ThirteenF } from '../filing/filing.ts';
import type { Accession, Cusip } from '../ids.ts';
import { lateOriginal, newHoldings, original, restatement, roles, secondAddition } from './fold.sample.ts';
import { foldReport } from './fold.ts';

const PUTS = '037833950' as Cusip;

describe('amendments that do not match their type', () => {
  const amend = (
    amendmentType: 'restatement' | 'new_holdings' | null,
    rows = sampleRows(0),
    accession = '0000000001-24-000007',
  ) =>
    sampleFiling({
      accession,
      filedDate: '2024-05-25',
      isAmendment: true,
      amendmentType,
      rows,
    });

  it('a restatement with a few rows does not replace the report (rule 2.9)', () => {
    for (const rows of [3, 0]) {
      const report = foldReport([original, amend('restatement', sampleRows(rows))]);
      expect(report?.rowCount).toBe(20);
      expect(report?.reasons).toEqual(['partial_restatement_suspected']);
      expect(roles(report)).toEqual(['1 base', '7 ignored']);
    }
  });

  it('a restatement without any position of the report adds its rows, in doubt (rule 2.9)', () => {
    const doubt = 'unrelated_restatement_suspected';
    for (const [rows, reasons] of [
      [10, [doubt]],
      [9, []],
      [2, []],
    ] as const) {
      const report = foldReport([original, amend('restatement', sampleRows(rows, 100))]);
      expect([report?.rowCount, report?.reasons]).toEqual([20 + rows, reasons]);
      expect(roles(report)).toEqual(['1 base', '7 doubted']);
      const doubted = report?.positions.filter(({ reasons }) => reasons.length > 0) ?? [];
      expect(doubted).toHaveLength(rows);
      expect(doubted[0]?.reasons).toEqual([doubt]);
    }
  });

  it('what was confidential is new holdings under any box, if it is few and all new (rule 2.9)', () => {
    const confidentialReveal = { reason: 'expired', dateDeniedOrExpired: null, dateReported: null } as const;
    for (const [type, rows, role] of [
      ['restatement', sampleRows(2, 100), 'supplement'],
      [null, sampleRows(2, 100), 'supplement'],
      ['restatement', sampleRows(10, 100), 'doubted'],
      ['restatement', [...sampleRows(1), ...sampleRows(1, 100)], 'doubted'],
    ] as const) {
      const report = foldReport([original, { ...amend(type, [...rows]), confidentialReveal }]);
      expect(roles(report)).toEqual(['1 base', `7 ${role}`]);
      const reasons = report?.positions.at(-1)?.reasons;
      if (role === 'supplement') expect(reasons).toEqual(['confidential_revealed']);
      else expect(reasons?.length).toBe(2);
    }
  });

  it('a restatement without most positions of the report replaces it, in doubt (rule 2.9)', () => {
    for (const [from, reasons] of [
      [11, []],
      [12, ['partial_restatement_suspected']],
      [20, ['partial_restatement_suspected']],
    ] as const) {
      const report = foldReport([original, amend('restatement', sampleRows(10, from))]);
      expect(roles(report)).toEqual(['1 superseded', '7 base']);
      expect(report?.reasons).toEqual(reasons);
    }
  });

  it('a second original is judged as a restatement (rule 2.9)', () => {
    const second = (rows: typeof original.rows) => foldReport([original, { ...lateOriginal, rows }]);
    expect(second(sampleRows(2))).toMatchObject({ rowCount: 20, reasons: ['partial_restatement_suspected'] });
    expect(second(sampleRows(6))).toMatchObject({ rowCount: 6, reasons: ['partial_restatement_suspected'] });
    expect(second(sampleRows(2, 100))).toMatchObject({ rowCount: 22, reasons: [] });
    expect(second(sampleRows(18, 3))).toMatchObject({ rowCount: 18, reasons: [] });
  });

  it('a filing that is not believed adds the securities that no other has, in doubt (rule 2.9)', () => {
    const [shared, ...added] = [sampleRow({ ...original.rows[0], amount: 1n }), ...sampleRows(2, 100)];
    for (const second of [
      { ...lateOriginal, rows: [shared, ...added] },
      amend('restatement', [shared, ...added]),
      amend(null, [shared, ...added]),
    ]) {
      const report = foldReport([original, second]);
      expect(report?.reasons).toHaveLength(1);
      expect(report?.rowCount).toBe(22);
      expect(report?.positions.at(0)?.amount).toBe(original.rows[0]?.amount);
      const accession = second.header.accession;
      expect(report?.positions.filter((one) => one.accessions.includes(accession))).toHaveLength(2);
    }
  });

  it('a filing that is not believed adds nothing when it is sent again (rule 2.9)', () => {
    const again = (rows: ReturnType<typeof sampleRows>) => {
      const first = amend('restatement', rows);
      const accession = '0000000001-24-000008' as Accession;
      return [original, first, { ...first, header: { ...first.header, accession } }];
    };
    for (const rows of [sampleRows(2, 100), [original.rows[0] ?? sampleRow(), ...sampleRows(2, 100)]]) {
      const report = foldReport(again(rows));
      expect(roles(report)).toEqual(['1 base', '7 doubted', '8 ignored']);
      expect(report?.positions).toEqual(foldReport(again(rows).slice(0, 2))?.positions);
    }
  });

  it('a row without a mark is the option that the official list says it is, in each filing (rules 2.9 and 3.2)', () => {
    const [marked, bare] = [
      sampleRow({ cusip: PUTS, putCall: 'PUT' }),
      sampleRow({ cusip: PUTS, amount: 9n }),
    ];
    const base = { ...original, rows: [...original.rows, marked] };
    const optionClasses = new Map([[PUTS, 'PUT' as const]]);
    const foldOf = (...filings: ThirteenF[]) => foldReport(filings, { optionClasses });
    const putsOf = (report: ReturnType<typeof foldOf>) =>
      report?.positions.flatMap(({ cusip, amount, reasons }) =>
        cusip === PUTS ? [[amount, ...reasons]] : [],
      );
    const doubted = foldOf(base, { ...lateOriginal, rows: [bare, ...sampleRows(1, 100)] });
    expect(doubted?.reasons).toEqual(['partial_restatement_suspected']);
    expect(putsOf(doubted)).toEqual([[marked.amount]]);
    const alone = foldOf(original, { ...lateOriginal, rows: [bare] }, amend('new_holdings', [marked]));
    expect(putsOf(alone)).toEqual([[marked.amount]]);
    const again = foldOf(base, amend('new_holdings', [{ ...marked, putCall: null }, ...sampleRows(9, 100)]));
    expect(putsOf(again)).toEqual([[marked.amount, 'repeated_new_holdings_suspected']]);
  });

  it('what is not believed gives way to new holdings, and doubts what they say otherwise (rule 2.9)', () => {
    const at = (digit: number, amendmentType: 'restatement' | 'new_holdings', amounts: bigint[]) =>
      amend(
        amendmentType,
        [...amounts.map((amount, row) => sampleRow({ ...sampleRows(3, 100)[row], amount }))],
        `0000000001-24-00000${digit}`,
      );
    const few = at(7, 'restatement', [10n, 20n]);
    const added = at(8, 'new_holdings', [11n]);
    const report = foldReport([original, few, added]);
    expect(roles(report)).toEqual(['1 base', '7 doubted', '8 supplement']);
    expect(report?.positions.slice(-2)).toMatchObject([
      { amount: 11n, reasons: [] },
      { amount: 20n, reasons: ['unrelated_restatement_suspected'] },
    ]);
    const all = foldReport([original, few, at(8, 'new_holdings', [10n, 20n])]);
    expect(roles(all)).toEqual(['1 base', '7 ignored', '8 supplement']);
    expect(all?.reasons).toEqual([]);
    const later = foldReport([original, at(7, 'new_holdings', [11n]), at(8, 'restatement', [10n])]);
    expect(later).toMatchObject({ reasons: ['unrelated_restatement_suspected'] });
    expect(later?.positions.at(-1)?.amount).toBe(11n);
  });

  it('a base that lists a security without an amount does not hide it (rule 2.9)', () => {
    const [empty, ...rows] = original.rows;
    const base = { ...original, rows: [sampleRow({ ...empty, amount: 0n, value: 0n }), ...rows] };
    const report = foldReport([base, amend('restatement', [sampleRow({ ...empty, amount: 5n })])]);
    expect(report?.positions.at(0)?.amount).toBe(5n);
  });

  it('what is not believed is summed with nothing, whatever arrives first (rule 2.9)', () => {
    const base = { ...original, rows: sampleRows(30) };
    const some = fc.subarray(sampleRows(4, 100), { minLength: 1 });
    const shared = fc.constantFrom([], base.rows.slice(0, 1));
    const type = fc.constantFrom('restatement' as const, 'new_holdings' as const, null);
    const content = fc.tuple(type, shared, some, fc.bigInt(1n, 3n));
    const filings = fc
      .array(content, { maxLength: 4 })
      .map((chosen) =>
        chosen.map(([kind, first, rows, amount], index) =>
          amend(kind, [...first, ...rows.map((one) => ({ ...one, amount }))], `0000000001-24-00001${index}`),
        ),
      );
    const arrival = filings.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray([base, ...all], { minLength: all.length + 1 })),
    );
    fc.assert(
      fc.property(arrival, ([filings, shuffled]) => {
        const report = foldReport([base, ...filings]);
        expect(foldReport([...shuffled, ...shuffled])).toEqual(report);
        expect(report?.positions).toHaveLength(
          new Set([base, ...filings].flatMap(({ rows }) => rows.map(({ cusip }) => cusip))).size,
        );
        const doubted = filings.filter(({ amendmentType }) => amendmentType !== 'new_holdings');
        const of = new Set(doubted.map(({ header }) => header.accession));
        for (const { accessions } of report?.positions.slice(30) ?? [])
          if (accessions.some((one) => of.has(one))) expect(accessions).toHaveLength(1);
      }),
    );
  });

  it('counts a thousand times off are in doubt, unless the prices show which are right (rule 2.9)', () => {
    const doubt = 'restated_thousandfold_suspected';
    const scaled = (count: number, amount: bigint) =>
      sampleRows(20).map((row, index) => (index < count ? { ...row, amount } : row));
    const folded = (before: typeof original.rows, now: typeof original.rows) =>
      foldReport([{ ...original, rows: before }, amend('restatement', [...now])]);
    // The value of 100 dollars a share becomes one of 100,000: the earlier counts stay.
    const [right, thousandth] = [scaled(0, 0n), scaled(20, 20n)];
    expect(roles(folded(right, thousandth))).toEqual(['1 base', '7 ignored']);
    expect(folded(right, thousandth)?.reasons).toEqual([doubt]);
    expect(folded(thousandth, right)).toMatchObject({ reasons: [] });
    expect(folded(thousandth, right)?.positions[0]?.amount).toBe(20_000n);
    // With the values divided too, nothing shows which are right.
    const both = thousandth.map((row) => ({ ...row, value: row.value / 1000n }));
    for (const [before, now] of [
      [right, both],
      [both, right],
    ] as const)
      expect(folded(before, now)?.reasons).toEqual([doubt]);
    // Few rows restate it, in doubt.
    expect(folded(right, scaled(3, 20n))).toMatchObject({ rowCount: 20, reasons: [doubt] });
    expect(roles(folded(right, scaled(3, 20n)))).toEqual(['1 superseded', '7 base']);
    expect(folded(right, scaled(20, 200n))?.reasons).toEqual([]);
  });

  it('a few positions may all be restated under other CUSIPs (rule 2.9)', () => {
    const few = sampleFiling({ rows: sampleRows(3) });
    expect(foldReport([few, amend('restatement', sampleRows(3, 100))])?.rowCount).toBe(3);
  });

  it('a table that stands twice is doubted as a whole, one with some equal rows is not (rule 2.9)', () => {
    const reasonsOf = (rows: ReturnType<typeof sampleRows>) => foldReport([sampleFiling({ rows })])?.reasons;
    const twice = (count: number, once = 0) => [...sampleRows(count + once), ...sampleRows(count)];
    expect([reasonsOf(twice(5)), reasonsOf(twice(20, 10))]).toEqual(
      Array(2).fill(['doubled_table_suspected']),
    );
    expect([reasonsOf(twice(4)), reasonsOf(twice(20, 11))]).toEqual([[], []]);
  });

  it('a restatement of a short report may be short (rule 2.9)', () => {
    const short = sampleFiling({ rows: sampleRows(4) });
    const report = foldReport([short, amend('restatement', sampleRows(2))]);
    expect(report).toMatchObject({ rowCount: 2, reasons: [] });
  });

  it('a full restatement after a doubtful one clears the doubt (rule 2.9)', () => {
    const doubtful = amend('restatement', sampleRows(1));
    const full = {
      ...restatement,
      header: { ...restatement.header, filedDate: newHoldings.header.filedDate },
    };
    expect(foldReport([original, doubtful, full])).toMatchObject({ rowCount: 22, reasons: [] });
  });

  it('new holdings that repeat half of the report restate it and do not double it (rule 2.9)', () => {
    const report = foldReport([original, amend('new_holdings', sampleRows(12, 11))]);
    expect(report).toMatchObject({ rowCount: 12, reasons: ['repeated_new_holdings_suspected'] });
    expect(report?.positions.every(({ amount }) => amount === 20_000n)).toBe(true);
  });

  it('new holdings sent twice are added once (rule 2.9)', () => {
    const again = amend('new_holdings', newHoldings.rows.concat(sampleRows(1, 300)));
    const report = foldReport([original, again, newHoldings]);
    expect(report?.positions).toHaveLength(25);
    expect(report?.positions.every(({ amount }) => amount === 20_000n)).toBe(true);
    expect(report?.reasons).toEqual(['repeated_new_holdings_suspected']);
  });

  it('new holdings of a key that the report has at another amount are added (rule 2.8)', () => {
    const more = amend('new_holdings', [{ ...sampleRow(), ...sampleRows(1)[0], amount: 5n }]);
    const report = foldReport([original, more]);
    expect(report?.positions[0]?.amount).toBe(20_005n);
    expect(report?.positions[0]?.accessions).toEqual([original.header.accession, more.header.accession]);
    expect(report?.reasons).toEqual([]);
  });

  it('an amendment without a type restates only with half of the rows (rule 2.9)', () => {
    expect(foldReport([original, amend(null, sampleRows(10))])).toMatchObject({ rowCount: 10, reasons: [] });
    expect(foldReport([original, amend(null, sampleRows(9))])).toMatchObject({
      rowCount: 20,
      reasons: ['amendment_type_missing'],
    });
    expect(foldReport([amend(null, sampleRows(9))])).toMatchObject({
      state: 'holdings',
      reasons: ['amendment_type_missing'],
    });
  });

  it('new holdings alone are not a comparable report until the report arrives (rule 2.8)', () => {
    const alone = foldReport([newHoldings, secondAddition]);
    expect(alone).toMatchObject({
      state: 'incomparable',
      rowCount: 5,
      reasons: ['supplement_without_base'],
    });
    expect(foldReport([newHoldings, secondAddition, original])).toMatchObject({
      state: 'holdings',
      reasons: [],
    });
  });
});
