import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPLE, GOOGL, sampleFiling, sampleManager, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { Accession, Cik } from '../ids.ts';
import { foldReport } from './fold.ts';

const original = sampleFiling({
  accession: '0000000001-24-000001',
  filedDate: '2024-05-10',
  rows: sampleRows(20),
});
const lateOriginal = sampleFiling({
  accession: '0000000001-24-000002',
  filedDate: '2024-05-12',
  rows: sampleRows(25),
});
const restatement = sampleFiling({
  accession: '0000000001-24-000003',
  filedDate: '2024-05-20',
  amendmentType: 'restatement',
  amendmentNumber: 1,
  rows: sampleRows(22),
});
const newHoldings = sampleFiling({
  accession: '0000000001-24-000004',
  filedDate: '2024-06-01',
  amendmentType: 'new_holdings',
  amendmentNumber: 2,
  acceptedAt: '2024-06-01T20:21:59Z',
  rows: sampleRows(4, 100),
});
const secondAddition = sampleFiling({
  accession: '0000000001-24-000005',
  filedDate: '2024-06-01',
  amendmentType: 'new_holdings',
  amendmentNumber: 3,
  rows: sampleRows(1, 200),
});
const notice = sampleFiling({
  accession: '0000000001-24-000006',
  filedDate: '2024-05-11',
  reportType: 'notice',
  reportedBy: [sampleManager({ name: 'PARENT CORP' })],
});
const roles = (report: ReturnType<typeof foldReport>) =>
  report?.filings.map(({ accession, role }) => `${accession.slice(-1)} ${role}`);

describe('the effective report', () => {
  it('is null without filings', () => {
    expect(foldReport([])).toBeNull();
  });

  it('is the same for every arrival order and repeated delivery', () => {
    const filings = [original, lateOriginal, restatement, newHoldings, secondAddition, notice];
    const expected = foldReport(filings);
    const arrival = fc.shuffledSubarray([...filings, ...filings], { minLength: 12 });
    fc.assert(
      fc.property(arrival, (shuffled) => {
        expect(foldReport(shuffled)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
    expect(expected?.rowCount).toBe(27);
  });

  it('gives each filing its role, in the order of the fold (rule 2.8)', () => {
    const report = foldReport([secondAddition, newHoldings, notice, restatement, lateOriginal, original]);
    expect(roles(report)).toEqual([
      '1 superseded',
      '6 superseded',
      '2 superseded',
      '3 base',
      '4 supplement',
      '5 supplement',
    ]);
    expect(report).toMatchObject({ state: 'holdings', isAmended: true, reasons: [] });
    expect(report?.newest.accession).toBe(secondAddition.header.accession);
  });

  it('adds new holdings to the report and keeps the rest (rule 2.8)', () => {
    const report = foldReport([newHoldings, original]);
    expect(report?.positions).toHaveLength(24);
    expect(report?.newest.publishedAt).toEqual({ value: '2024-06-01T20:21:59Z', precision: 'second' });
    expect(foldReport([original])?.newest.publishedAt).toEqual({ value: '2024-05-10', precision: 'day' });
  });

  it('orders amendments of one day by number, acceptance and accession (rule 2.8)', () => {
    const early = { ...restatement, header: { ...restatement.header, acceptedAt: '2024-05-20T13:00:00Z' } };
    const late = sampleFiling({
      accession: '0000000001-24-000000',
      filedDate: '2024-05-20',
      acceptedAt: '2024-05-20T14:00:00Z',
      amendmentType: 'restatement',
      amendmentNumber: 1,
      rows: sampleRows(21),
    });
    expect(foldReport([late, early, original])?.rowCount).toBe(21);
  });

  it('throws for filings of another manager', () => {
    const stray = sampleFiling({ accession: '0000000002-24-000001', cik: '0000000002' as Cik });
    expect(() => foldReport([original, stray])).toThrow(/0000000002/);
  });

  it('holds nothing for a table without rows or with a placeholder row, and is still a report', () => {
    const placeholder = sampleRow({ amount: 0n, value: 0n });
    for (const rows of [[], [placeholder]]) {
      const report = foldReport([sampleFiling({ rows, declaredEntryTotal: 0, declaredValueTotal: 0n })]);
      expect(report).toMatchObject({ state: 'holdings', positions: [], rowCount: rows.length, reasons: [] });
    }
  });

  it('omits confidential positions when any contributing cover states it (rule 2.13)', () => {
    expect(foldReport([original])?.confidentialOmitted).toBe(false);
    const omitting = { ...original, confidentialOmitted: true };
    expect(foldReport([omitting, newHoldings])?.confidentialOmitted).toBe(true);
    expect(foldReport([omitting, restatement])?.confidentialOmitted).toBe(false);
  });
});

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
      expect(roles(report)).toEqual(['1 base', '7 supplement']);
      const doubted = report?.positions.filter(({ reasons }) => reasons.length > 0) ?? [];
      expect(doubted).toHaveLength(rows);
      expect(doubted[0]?.reasons).toEqual([doubt]);
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
      expect(roles(report)).toEqual(['1 base', '7 supplement', '8 ignored']);
      expect(report?.positions).toEqual(foldReport(again(rows).slice(0, 2))?.positions);
    }
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
    expect(roles(report)).toEqual(['1 base', '7 supplement', '8 supplement']);
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

describe('notices', () => {
  it('alone mean that other managers report the holdings (rule 2.11)', () => {
    expect(foldReport([notice])).toMatchObject({
      state: 'notice',
      positions: [],
      reportedBy: [{ name: 'PARENT CORP' }],
      reasons: ['reported_elsewhere'],
    });
  });

  it('never remove the holdings of the same quarter, filed before or after them (rule 2.11)', () => {
    expect(roles(foldReport([notice, original]))).toEqual(['1 base', '6 notice']);
    expect(roles(foldReport([notice, lateOriginal]))).toEqual(['6 superseded', '2 base']);
    expect(foldReport([notice, original])).toMatchObject({ state: 'holdings', rowCount: 20, reasons: [] });
  });

  it('with a table are a report with the wrong box ticked (rule 2.11)', () => {
    const mislabelled = sampleFiling({ reportType: 'notice', rows: sampleRows(2) });
    expect(foldReport([mislabelled])).toMatchObject({ state: 'holdings', rowCount: 2 });
  });
});

describe('declared totals', () => {
  const rows = [sampleRow({ amount: 5n, value: 100n }), sampleRow({ cusip: GOOGL, amount: 5n, value: 50n })];
  const reasonsOf = (declaredEntryTotal: number | null, declaredValueTotal: bigint | null) =>
    foldReport([sampleFiling({ rows, declaredEntryTotal, declaredValueTotal })])?.reasons;

  it('may differ by the rounding of each row, not by more (rule 2.7)', () => {
    expect(reasonsOf(2, 152n)).toEqual([]);
    expect(reasonsOf(2, 148n)).toEqual([]);
    expect(reasonsOf(2, 153n)).toEqual(['value_total_mismatch']);
    expect(reasonsOf(2, 147n)).toEqual(['value_total_mismatch']);
    expect(reasonsOf(null, null)).toEqual([]);
  });

  it('must match the number of rows (rule 2.7)', () => {
    expect(reasonsOf(3, 150n)).toEqual(['entry_total_mismatch']);
  });

  it('count rows without a usable CUSIP, which give a reason but no position', () => {
    const unusable = sampleRow({ cusip: null, value: 1n, reasons: ['cusip_malformed'] });
    const report = foldReport([sampleFiling({ rows: [...rows, unusable], declaredEntryTotal: 3 })]);
    expect(report).toMatchObject({ rowCount: 3, reasons: ['cusip_malformed'] });
    expect(report?.positions.map(({ cusip }) => cusip)).toEqual([GOOGL, APPLE]);
  });
});
