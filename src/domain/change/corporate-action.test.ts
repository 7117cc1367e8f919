import { expect, it, test } from 'vitest';
import { APPLE, GOOGL, SPY, sampleFiling, sampleRow } from '../filing/filing.sample.ts';
import type { InfoTableRow } from '../filing/filing.ts';
import type { Cik, Cusip, QuarterEnd } from '../ids.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import { foldReport } from '../report/fold.ts';
import type { EffectiveReport } from '../report/report.ts';
import { diffReports } from './diff.ts';
import {
  BEFORE,
  changesAfter,
  changesOf,
  moved,
  NEW,
  NOW,
  OLD,
  ratio,
  row,
  sampleReport,
} from './report.sample.ts';

test('a suspected split makes every count of the security a doubt, but no exit and no unchanged one (rule 4.7)', () => {
  const suspected: CorporateAction = {
    ...{ kind: 'split_suspected', cusip: APPLE, factor: ratio(4n), votes: 1, compared: 2 },
  };
  const reasonsOf = (now: bigint) =>
    changesOf(now === 0n ? [] : [row(now)], [row(20_000n)], suspected)[0]?.reasons;
  expect([reasonsOf(31_000n), reasonsOf(20_000n), reasonsOf(0n)]).toEqual([['split_suspected'], [], []]);
  const call = (amount: bigint) => row(amount, { putCall: 'CALL' });
  expect(changesOf([call(80_000n)], [call(20_000n)], suspected)[0]?.reasons).toEqual(['split_suspected']);
});

test('a holder that books a split a quarter late is doubted by its own price, whatever the others did (rule 4.7)', () => {
  const reasonsOf = (now: bigint, before: bigint, value: bigint) =>
    changesOf([row(now, { value })], [row(before, { value: 9_000_000n })])[0]?.reasons;
  expect(reasonsOf(81_036n, 20_259n, 8_100_000n)).toEqual(['split_suspected']);
  // Bought at the price of before; not to the share; and round counts that one may have bought.
  expect(reasonsOf(81_036n, 20_259n, 36_000_000n)).toEqual([]);
  expect(reasonsOf(81_046n, 20_259n, 8_100_000n)).toEqual([]);
  expect(reasonsOf(80_000n, 20_000n, 8_100_000n)).toEqual([]);
});

test('a report that holds the old and the new CUSIP is uncertain for both (rule 5.4)', () => {
  const at = (cusip: Cusip, amount: bigint) => row(amount, { cusip });
  const renamed = { ...moved, factor: ratio(1n) };
  const now = [at(OLD, 60_000n), at(NEW, 940_000n)];
  const before = [at(OLD, 1_000_000n)];
  const doubted = [
    [OLD, 'REDUCED', ['cusip_change_suspected']],
    [NEW, 'NEW', ['cusip_change_suspected']],
  ];
  const reasonsFor = (changes: ReturnType<typeof changesOf>) =>
    changes.map(({ cusip, change, reasons }) => [cusip, change, reasons]);
  expect(reasonsFor(changesOf(now, before, renamed))).toEqual(doubted);
  expect(reasonsFor(changesAfter([renamed], now, before))).toEqual(doubted);
  expect(changesAfter([renamed], now, now).flatMap(({ reasons }) => reasons)).toEqual([]);
  expect(changesOf(now, before).flatMap(({ reasons }) => reasons)).toEqual([]);
});

test('an exit from a security that nearly all holders left is a corporate action (rule 4.9)', () => {
  const massExit: CorporateAction = { kind: 'mass_exit', cusip: GOOGL, votes: 39, compared: 40 };
  const before = [row(20_000n, { cusip: GOOGL }), row(20_000n)];
  expect(changesOf([], before, massExit).map(({ cusip, reasons }) => [cusip, reasons])).toEqual([
    [GOOGL, ['probable_corporate_action']],
    [APPLE, []],
  ]);
});

test('what was given for a target in a stock merger is no decision of its holders (rule 4.9)', () => {
  const merger: CorporateAction = {
    ...{ kind: 'stock_merger', cusip: GOOGL, from: APPLE, votes: 12, compared: 15, multiple: 0.35 },
  };
  const acquirer = (shares: bigint) => row(shares, { cusip: GOOGL });
  const reasonsOf = (now: readonly InfoTableRow[], before: readonly InfoTableRow[]) =>
    changesOf(now, before, merger).find(({ cusip }) => cusip === GOOGL)?.reasons;
  const doubted = ['probable_corporate_action'];
  const target = row(20_000n);
  expect(reasonsOf([acquirer(27_000n)], [target])).toEqual(doubted);
  expect(reasonsOf([acquirer(27_000n)], [acquirer(20_000n), target])).toEqual(doubted);
  expect(reasonsOf([acquirer(15_000n)], [acquirer(20_000n), target])).toEqual(doubted);
  // Without the target, with the target still held, and of all that the manager had.
  expect(reasonsOf([acquirer(27_000n)], [acquirer(20_000n)])).toEqual([]);
  expect(reasonsOf([acquirer(27_000n), target], [acquirer(20_000n), target])).toEqual([]);
  expect(reasonsOf([], [acquirer(20_000n), target])).toEqual([]);
});

test('a start in a security that its holders were given is a corporate action (rule 4.9)', () => {
  const massEntry: CorporateAction = { kind: 'mass_entry', cusip: GOOGL, votes: 39, compared: 40 };
  const now = [row(20_000n, { cusip: GOOGL }), row(20_000n)];
  expect(changesOf(now, [], massEntry).map(({ cusip, reasons }) => [cusip, reasons])).toEqual([
    [GOOGL, ['probable_corporate_action']],
    [APPLE, []],
  ]);
  expect(changesOf(now, now, massEntry).flatMap(({ reasons }) => reasons)).toEqual([]);
});

const reportOf = (quarterEnd: QuarterEnd, amounts: Record<string, bigint>): EffectiveReport =>
  sampleReport(quarterEnd, {
    rows: Object.entries(amounts).map(([cusip, amount], at) =>
      sampleRow({ row: at + 1, cusip: cusip as typeof APPLE, issuer: cusip, amount, value: amount }),
    ),
  });

const CHILD = { cik: '0000000002' as Cik, name: 'CHILD CO' };

it('changes of what moved between two reports are withheld, and no others (rule 4.11)', () => {
  const before = reportOf(BEFORE, { [APPLE]: 50_000n, [SPY]: 70_000n });
  const now = {
    ...reportOf(NOW, { [APPLE]: 90_000n, [GOOGL]: 60_000n, [SPY]: 80_000n }),
    moved: [{ ...CHILD, cusips: [APPLE, GOOGL] }],
  };
  const { changes } = diffReports(now, before);
  expect(changes.map(({ cusip, change, reasons }) => [cusip, change, reasons]).sort()).toEqual(
    [
      [APPLE, 'ADDED', ['moved_between_reports']],
      [GOOGL, 'NEW', ['moved_between_reports']],
      [SPY, 'ADDED', []],
    ].sort(),
  );
});

it('an exit is withheld like a purchase; an equal count is not in doubt (rule 4.11)', () => {
  const before = reportOf(BEFORE, { [APPLE]: 50_000n, [SPY]: 70_000n });
  const now = { ...reportOf(NOW, { [SPY]: 70_000n }), moved: [{ ...CHILD, cusips: [APPLE, SPY] }] };
  const { changes } = diffReports(now, before);
  expect(changes.map(({ change, reasons }) => [change, reasons]).sort()).toEqual([
    ['EXITED', ['moved_between_reports']],
    ['HELD', []],
  ]);
});

it('a baseline is no change that could be in doubt (rule 5.1)', () => {
  const filing = sampleFiling({ quarterEnd: NOW, rows: [sampleRow()] });
  const now = foldReport([filing], { moved: [{ ...CHILD, cusips: [APPLE] }] });
  expect(now && diffReports(now, null).changes[0]?.reasons).toEqual(['no_prior_comparable_filing']);
});

test('a fund or a note among others of its title is not the next CUSIP of another (rule 5.4)', () => {
  // Rows of Goldman Sachs, 0000769993-13-000382 to -000385: all its titles are alike.
  const cmn = (cusip: string, issuer: string, amount: bigint) =>
    row(amount, { cusip: cusip as Cusip, issuer, titleOfClass: 'CMN' });
  const before = [
    cmn('464289552', 'ISHARES TR', 12_730n),
    cmn('464288760', 'ISHARES TR', 6_024n),
    cmn('07556Q105', 'BEAZER HOMES USA INC', 241_537n),
    cmn('07556Q709', 'BEAZER HOMES USA INC', 141_800n),
  ];
  const now = [
    cmn('464289842', 'ISHARES TR', 7_180n),
    cmn('464288760', 'ISHARES TR', 8_441n),
    cmn('07556Q881', 'BEAZER HOMES USA INC', 115_592n),
    cmn('07556Q709', 'BEAZER HOMES USA INC', 98_100n),
  ];
  const doubted = (rows: readonly InfoTableRow[], prior: readonly InfoTableRow[]) =>
    changesOf(rows, prior)
      .filter(({ reasons }) => reasons.includes('cusip_change_suspected'))
      .map(({ cusip }) => cusip);
  expect(doubted(now, before)).toEqual(['07556Q105', '07556Q881']);
  const other = [cmn('07556Q501', 'BEAZER HOMES USA INC', 30_000n)];
  expect(doubted([...now, ...other], [...before, ...other])).toEqual([]);
});
