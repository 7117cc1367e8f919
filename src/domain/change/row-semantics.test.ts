import { describe, expect, it, test } from 'vitest';
import { constructedSubmission, filingText, thirteenFOf } from '../../../test/filings/read.ts';
import { APPLE, SPY, sampleFiling, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cusip, QuarterEnd } from '../ids.ts';
import { qualityOf } from '../quality/quality.ts';
import { type FoldOptions, foldReport } from '../report/fold.ts';
import { aumCents, equityCount, excludedTotals } from '../report/holding.ts';
import type { EffectiveReport } from '../report/report.ts';
import { MAX_SHARES, MAX_VALUE_CENTS } from '../report/thresholds.ts';
import { diffReports } from './diff.ts';
import { BEFORE, diffOf, NOW, sampleReport } from './report.sample.ts';

const PUT_CLASS = '78462F953' as Cusip;
const CALL_CLASS = '037833900' as Cusip;
const optionClasses = new Map<Cusip, 'PUT' | 'CALL'>([
  [PUT_CLASS, 'PUT'],
  [CALL_CLASS, 'CALL'],
]);
const failed = ['cusip_checksum_failed'] as const;

function folded(rows: readonly InfoTableRow[], options: FoldOptions = {}): EffectiveReport {
  const report = foldReport([sampleFiling({ rows })], options);
  if (report === null) throw new Error('one filing folds to a report');
  return report;
}

/** A table in the container of a report for 2025-09-30; the cover is that of another filer. */
function parsedTable(table: string) {
  return thirteenFOf(
    constructedSubmission({
      form: '13F-HR',
      period: '20250930',
      filed: '20251103',
      documents: [
        ['13F-HR', filingText('xml-only/scion_2025q3_primary_doc.xml')],
        ['INFORMATION TABLE', `<informationTable xmlns="u">${table}</informationTable>`],
      ],
    }),
  );
}

const xmlRow = (cusip: string, value: string, amount: string, name = 'A CORP') =>
  `<infoTable><nameOfIssuer>${name}</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>${cusip}</cusip><value>${value}</value><shrsOrPrnAmt><sshPrnamt>${amount}</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion><votingAuthority><Sole>0</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;

describe('what a row is', () => {
  it('principal and options are never in equity or AUM (rule 2.5)', () => {
    const rows = [sampleRow(), sampleRow({ amountType: 'PRN' }), sampleRow({ putCall: 'PUT' })];
    const report = folded(rows);
    expect([equityCount(report), aumCents(report)]).toEqual([1, 200_000_000n]);
    expect(excludedTotals(report)).toMatchObject({ options: { rows: 1 }, principal: { rows: 1 } });
  });

  it('a row with the CUSIP of an option class is an option, marked so or not (rule 3.2)', () => {
    const rows = [
      sampleRow({ cusip: PUT_CLASS, putCall: 'PUT', reasons: failed }),
      sampleRow({ cusip: CALL_CLASS, reasons: failed, row: 2 }),
      sampleRow({ cusip: SPY, row: 3 }),
    ];
    const report = folded(rows, { optionClasses });
    expect(report.positions.map(({ cusip, putCall, reasons }) => [cusip, putCall, reasons])).toEqual([
      [CALL_CLASS, 'CALL', ['option_class_cusip']],
      [SPY, null, []],
      [PUT_CLASS, 'PUT', []],
    ]);
    expect([equityCount(report), report.reasons]).toEqual([1, []]);
    const unlisted = folded(rows).positions.find(({ cusip }) => cusip === CALL_CLASS);
    expect(unlisted).toMatchObject({ putCall: null, reasons: ['cusip_checksum_failed'] });
  });

  it('a row titled as an option is the key of a marked one, and no shares (rule 2.5)', () => {
    const shares = sampleRow({ amount: 60_000n });
    const [titled, marked] = [{ titleOfClass: 'CALL' }, { putCall: 'CALL' as const }].map((one) => [
      shares,
      sampleRow({ row: 2, amount: 700_000n, ...one }),
    ]);
    const report = folded(titled ?? []);
    expect([equityCount(report), aumCents(report)]).toEqual([1, aumCents(folded(marked ?? []))]);
    for (const [now, before] of [
      [titled, marked],
      [marked, titled],
    ]) {
      const { changes } = diffOf(now ?? [], before ?? []);
      expect(changes.map(({ putCall, change, reasons }) => [putCall, change, reasons])).toEqual([
        [null, 'HELD', []],
        ['CALL', 'HELD', ['option_by_title']],
      ]);
    }
  });

  it('shares that may be options of an unknown side are in doubt and in no total (rule 2.5)', () => {
    const report = folded([sampleRow(), sampleRow({ row: 2, titleOfClass: 'OPTIONS' })]);
    expect(report.positions.map(({ reasons }) => reasons)).toEqual([['option_side_unknown']]);
    expect(aumCents(report)).toBe(0n);
  });

  it('a value without shares is neither an exit nor a start (rule 1.6)', () => {
    const [shares, none] = [sampleRow(), sampleRow({ amount: 0n })];
    for (const [now, before] of [
      [none, shares],
      [shares, none],
    ] as const) {
      const [change] = diffOf([now], [before]).changes;
      expect(qualityOf(change?.reasons ?? [])).toEqual({ status: 'excluded', reasons: ['amount_missing'] });
    }
  });

  it('the side as filed wins over the class of the list (rule 3.2)', () => {
    const [position] = folded([sampleRow({ cusip: PUT_CLASS, putCall: 'CALL', reasons: failed })], {
      optionClasses,
    }).positions;
    expect(position).toMatchObject({ putCall: 'CALL', reasons: [] });
  });

  it('an impossible share count or value is kept and excluded from all sums (rule 1.6)', () => {
    const absurd = [
      sampleRow({ amount: MAX_SHARES + 1n }),
      sampleRow({ cusip: SPY, value: MAX_VALUE_CENTS / 100n + 1n }),
      ...sampleRows(3),
    ];
    const report = folded(absurd);
    const marked = report.positions.filter(({ reasons }) => reasons.includes('amount_implausible'));
    expect(marked.map(({ cusip }) => cusip)).toEqual([APPLE, SPY]);
    expect(aumCents(report)).toBe(600_000_000n);
    const largest = [sampleRow({ amount: MAX_SHARES, value: MAX_VALUE_CENTS / 100n })];
    expect(folded(largest).positions[0]?.reasons).toEqual([]);
  });

  it('a value far from the price is marked, kept and excluded from AUM (rule 4.4)', () => {
    const rows = [sampleRow(), sampleRow({ putCall: 'CALL' }), sampleRow({ cusip: SPY })];
    const report = folded(rows, { outliers: new Set([APPLE]) });
    expect(report.positions.map(({ cusip, putCall, reasons }) => [cusip, putCall, reasons])).toEqual([
      [APPLE, null, ['implied_price_outlier']],
      [APPLE, 'CALL', []],
      [SPY, null, []],
    ]);
    expect(aumCents(report)).toBe(200_000_000n);
  });

  it('its number and filing stay with its position (rule 2.4)', () => {
    const rows = [11, 12, 13, 20].map((row) => sampleRow({ row }));
    expect(folded(rows).positions[0]?.rowsUsed).toEqual([
      { accession: '0000000001-24-000001', rows: '11-13,20' },
    ]);
  });
});

describe('an empty portfolio', () => {
  const placeholder = xmlRow('000000000', '0', '0', 'NONE');

  it('is one placeholder row, as Thiel Macro files it, and sells everything (rule 2.6)', () => {
    const filing = { ...parsedTable(placeholder), declaredEntryTotal: 1, declaredValueTotal: 0n };
    const empty = foldReport([filing]);
    expect(empty).toMatchObject({ state: 'holdings', positions: [], rowCount: 1, reasons: [] });
    if (empty === null) throw new Error('one filing folds to a report');
    const prior = sampleReport('2025-06-30' as QuarterEnd, { cik: filing.cik, rows: sampleRows(2) });
    const { comparable, changes } = diffReports(empty, prior);
    expect(comparable).toBe(true);
    expect(changes.map(({ change }) => change)).toEqual(['EXITED', 'EXITED']);
  });

  it('is not a placeholder row together with a real row (rule 2.6)', () => {
    const report = foldReport([parsedTable(placeholder + xmlRow('37833100', '1,234', '10.0'))]);
    expect(report?.positions).toMatchObject([{ cusip: APPLE, amount: 10n, valueCents: 123_400n }]);
  });
});

test('numbers of thirty digits, commas and decimals are read exactly, negatives kept and not compared (rule 1.6)', () => {
  const digits = `9${'0'.repeat(29)}`;
  const rows = xmlRow('037833100', '1,234', digits) + xmlRow('78462F103', '10.50', '-5');
  const report = foldReport([parsedTable(rows)]);
  expect(report?.positions.map(({ cusip, amount, reasons }) => [cusip, amount, reasons])).toEqual([
    [APPLE, 9n * 10n ** 29n, ['amount_implausible']],
    [SPY, -5n, ['amount_fractional', 'amount_negative']],
  ]);
});

describe('a mistyped CUSIP', () => {
  const right = [sampleRow(), sampleRow({ cusip: SPY, issuer: 'SPDR S&P 500 ETF TR' })];
  const typo = [
    sampleRow({ cusip: '037833101' as Cusip, issuer: 'Apple Inc.', reasons: failed }),
    sampleRow({ cusip: SPY, issuer: 'SPDR S&P 500 ETF TR' }),
  ];
  const unread = [
    sampleRow({ cusip: null, issuer: 'Apple, Inc', reasons: ['cusip_malformed'] }),
    sampleRow({ cusip: SPY, issuer: 'SPDR S&P 500 ETF TR' }),
  ];
  const reasonsOf = (now: InfoTableRow[], before: InfoTableRow[]) =>
    diffReports(sampleReport(NOW, { rows: now }), sampleReport(BEFORE, { rows: before })).changes.map(
      ({ cusip, change, reasons }) => [cusip, change, reasons],
    );

  it('is not a new position, and the missing position is not a proven exit (rule 5.6)', () => {
    expect(reasonsOf(typo, right)).toEqual([
      [APPLE, 'EXITED', ['cusip_mistyped_elsewhere']],
      ['037833101', 'NEW', ['cusip_checksum_failed']],
      [SPY, 'HELD', []],
    ]);
    expect(reasonsOf(unread, right)[0]).toEqual([APPLE, 'EXITED', ['cusip_mistyped_elsewhere']]);
  });

  it('in the quarter before makes the initiation under the right CUSIP uncertain (rule 5.6)', () => {
    expect(reasonsOf(right, unread)[0]).toEqual([APPLE, 'NEW', ['cusip_mistyped_elsewhere']]);
    expect(reasonsOf(right, [])).toEqual([
      [APPLE, 'NEW', []],
      [SPY, 'NEW', []],
    ]);
  });

  it('in both reports does not explain an exit or a start of the issuer (rule 5.6)', () => {
    for (const bad of [typo[0], unread[0]] as InfoTableRow[]) {
      expect(reasonsOf([bad], [bad, ...right])[0]).toEqual([APPLE, 'EXITED', []]);
      expect(reasonsOf([bad, ...right], [bad])[0]).toEqual([APPLE, 'NEW', []]);
    }
    const other = sampleRow({ cusip: null, cusipAsFiled: 'N/A', issuer: 'Apple Inc' });
    expect(reasonsOf([other], [...(unread as InfoTableRow[]), ...right])[0]).toEqual([
      APPLE,
      'EXITED',
      ['cusip_mistyped_elsewhere'],
    ]);
  });
});
