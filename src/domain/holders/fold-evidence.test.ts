import { describe, expect, it } from 'vitest';
import { observation } from '../brief/brief.sample.ts';
import { diffReports } from '../change/diff.ts';
import { BEFORE, NOW, sampleReport } from '../change/report.sample.ts';
import { corporateActionsByCusip } from '../change/restate.ts';
import { APPLE, sampleFiling, sampleRow, sampleRows } from '../filing/filing.sample.ts';
import type { ThirteenF } from '../filing/filing.ts';
import type { Accession, Cik, Cusip, QuarterEnd } from '../ids.ts';
import { hasCleanScale, reasonsOfReport, unweighedFilings } from '../leaderboard/portfolio.ts';
import { changeQualityOf } from '../quality/quality.ts';
import { type FoldOptions, foldReport } from '../report/fold.ts';
import { reasonsOfTotals, reportSummary, weightsIn } from '../report/holding.ts';
import type { EffectiveReport } from '../report/report.ts';
import { CENTS_PER_DOLLAR, CENTS_PER_THOUSAND } from '../report/scale.ts';
import { sumObservations } from './former-cusips.ts';
import { institutionalLeg } from './institutional.ts';

const accession = '0000000001-24-000020' as Accession;
const filing = sampleFiling({ accession, filedDate: '2024-08-14', quarterEnd: NOW, rows: sampleRows(6) });
const prior = sampleReport(BEFORE, { rows: sampleRows(6) });

function folded(options: FoldOptions) {
  const report = foldReport([filing], options);
  if (report === null) throw new Error('one filing folds to a report');
  return report;
}

describe('a scale that the other filers correct', () => {
  const reasons = ['value_unit_thousands_after_2023'] as const;
  const scales = new Map([[accession, { scaleCents: CENTS_PER_THOUSAND, reasons }]]);
  const report = folded({ scales });

  it('rescales the values and keeps them as filed too (rule 4.3)', () => {
    const [position] = report.positions;
    expect(position?.valueCents).toBe(2_000_000n * CENTS_PER_THOUSAND);
    expect(position?.filedValueCents).toBe(2_000_000n * CENTS_PER_DOLLAR);
    expect(report.filings[0]?.scaleCents).toBe(CENTS_PER_THOUSAND);
    expect(report.reasons).toEqual(['value_unit_thousands_after_2023']);
  });

  it('never changes a share count, and is shown at every change without making it uncertain (rule 4.3)', () => {
    const { changes, comparable } = diffReports(report, prior);
    expect(comparable).toBe(true);
    for (const one of changes) {
      expect(one).toMatchObject({ change: 'HELD', amountDelta: 0n, reasons: [...reasons] });
      expect(one.filedValueCents * 1_000n).toBe(one.valueCents);
    }
  });

  it('is that of the filing date when no filer corrects it (rule 2.1)', () => {
    const asFiled = folded({});
    expect(asFiled.filings[0]?.scaleCents).toBe(CENTS_PER_DOLLAR);
    expect(asFiled.positions.every((one) => one.filedValueCents === one.valueCents)).toBe(true);
  });
});

describe('a scale that nothing confirms', () => {
  const added = sampleFiling({
    accession: '0000000001-24-000021',
    filedDate: '2024-08-20',
    quarterEnd: NOW,
    amendmentType: 'new_holdings',
    rows: sampleRows(1, 100),
  });
  const doubt = { scaleCents: CENTS_PER_DOLLAR, reasons: ['value_unit_unverified'] as const };
  const reportOf = (doubted: Accession) => {
    const report = foldReport([filing, added], { scales: new Map([[doubted, doubt]]) });
    if (report === null) throw new Error('two filings fold to a report');
    return report;
  };
  const doubtedIn = (report: ReturnType<typeof reportOf>) =>
    diffReports(report, prior)
      .changes.filter(({ reasons }) => reasons.includes('value_unit_unverified'))
      .map(({ issuer }) => issuer);

  it('of a supplement marks its rows and the totals, and no other row (rule 2.10)', () => {
    const report = reportOf(added.header.accession);
    expect(report.reasons).toEqual([]);
    expect(reasonsOfTotals(report)).toEqual(['value_unit_unverified']);
    expect(doubtedIn(report)).toEqual(['ISSUER 100']);
    expect(hasCleanScale(report)).toBe(true);
    expect([...unweighedFilings(report)]).toEqual([added.header.accession]);
  });

  it('of a base marks the whole report (rule 2.10)', () => {
    const report = reportOf(accession);
    expect(report.reasons).toEqual(['value_unit_unverified']);
    expect(doubtedIn(report)).toHaveLength(7);
    expect(hasCleanScale(report)).toBe(false);
  });

  it('of a supplement without a base marks the whole report (rule 2.8)', () => {
    const alone = foldReport([added], { scales: new Map([[added.header.accession, doubt]]) });
    expect(alone?.reasons).toEqual(['supplement_without_base', 'value_unit_unverified']);
  });
});

describe('a filing that is not believed', () => {
  const other = sampleFiling({
    accession: '0000000001-24-000022',
    filedDate: '2024-08-21',
    quarterEnd: NOW,
    rows: sampleRows(1, 100).map((row) => ({ ...row, value: 10n ** 9n })),
  });
  const report = foldReport([filing, other]);
  if (report === null) throw new Error('two filings fold to a report');
  const changes = diffReports(report, prior);
  const summary = reportSummary(changes);

  it('marks its rows and the totals, and no clear row is weighed against it (rule 2.10)', () => {
    expect(report.reasons).toEqual([]);
    expect(summary.quality).toEqual({ status: 'uncertain', reasons: ['unrelated_restatement_suspected'] });
    expect([summary.aumCents - (summary.weighedCents ?? 0n), summary.holdingsCount]).toEqual([10n ** 11n, 7]);
    // As many as the list of holdings shows.
    expect(changes.changes.filter(({ change }) => change !== 'EXITED')).toHaveLength(summary.holdingsCount);
    const weights = changes.changes.map(weightsIn(report));
    expect(weights.slice(0, 6).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(100, 2);
    expect([...unweighedFilings(report)]).toEqual([other.header.accession]);
    expect(reasonsOfReport(report)).toEqual(['in_doubt']);
  });

  it('proves no share count: its rows stay in doubt through a split, at either end (rule 2.9)', () => {
    const cusip = other.rows[0]?.cusip as Cusip;
    const factor = { numerator: 4n, denominator: 1n };
    const actions = corporateActionsByCusip([{ kind: 'split', cusip, factor, votes: 3, compared: 3 }]);
    const amountOf = (amount: bigint) => other.rows.map((row) => ({ ...row, amount }));
    const [believed, doubted] = [
      (amount: bigint) => [sampleFiling({ ...filing.header, rows: [...filing.rows, ...amountOf(amount)] })],
      (amount: bigint) => [filing, { ...other, rows: amountOf(amount) }],
    ];
    for (const [before, now, change] of [
      [believed(1_000n), doubted(4_000n), 'HELD'],
      [doubted(1_000n), believed(4_000n), 'HELD'],
      [believed(1_000n), doubted(1_000n), 'REDUCED'],
      [doubted(1_000n), [filing], 'EXITED'],
    ] as const) {
      const quarterOf = (filings: readonly ThirteenF[], quarterEnd: QuarterEnd) =>
        foldReport(filings.map((one) => ({ ...one, quarterEnd }))) as EffectiveReport;
      const compared = diffReports(quarterOf(now, NOW), quarterOf(before, BEFORE), actions);
      const found = compared.changes.find((one) => one.cusip === cusip);
      expect([found?.change, found?.priorAmount, changeQualityOf(found?.reasons ?? []).status]).toEqual([
        change,
        4_000n,
        'uncertain',
      ]);
      expect(found?.reasons).toContain('unrelated_restatement_suspected');
    }
  });
});

it('a filing that is not believed, under an old CUSIP, gives way to the new one and is not summed with it (rules 2.10 and 5.3)', () => {
  const [from, cusip] = ['76150R108' as Cusip, '76150R207' as Cusip];
  const factor = { numerator: 1n, denominator: 15n };
  const actions = corporateActionsByCusip([
    { kind: 'cusip_change', cusip, from, factor, votes: 3, compared: 3 },
  ]);
  const held = (of: Cusip, amount: bigint) => sampleRow({ row: 9, cusip: of, cusipAsFiled: of, amount });
  const base = { ...filing, rows: [...filing.rows, held(cusip, 10_000n)] };
  const restatement = sampleFiling({
    ...{ accession: '0000000001-24-000023', filedDate: '2024-08-22', quarterEnd: NOW },
    rows: [held(from, 150_000n)],
  });
  const now = foldReport([base, restatement]) as EffectiveReport;
  const before = sampleReport(BEFORE, { rows: [...sampleRows(6), held(from, 150_000n)] });
  const { changes } = diffReports(now, before, actions);
  const found = [from, cusip].map((of) => changes.find((change) => change.cusip === of));
  expect(found).toMatchObject([
    { change: 'NEW', amount: 150_000n, reasons: expect.arrayContaining(['unrelated_restatement_suspected']) },
    { change: 'HELD', amount: 10_000n, priorAmount: 10_000n },
  ]);
  const reasons = ['unrelated_restatement_suspected'] as const;
  const [believed, doubted] = [observation(), observation({ isDoubted: true, reasons })];
  for (const sum of [sumObservations(believed, doubted), sumObservations(doubted, believed)])
    expect(sum).toEqual({ ...believed, reasons });
});

describe('what the reports of other managers show', () => {
  it('identical positions of another manager are shown at every change (rule 4.10)', () => {
    const report = folded({ identicalTo: '0000000002' as Cik });
    expect(report).toMatchObject({ identicalTo: '0000000002', reasons: ['identical_positions'] });
    expect(diffReports(report, prior).changes[0]?.reasons).toEqual(['identical_positions']);
  });
});

it('a first report is a baseline in the brief, not an initiation of every position (rule 5.1)', () => {
  const first = observation({ comparable: false, previousShares: 0n });
  const leg = institutionalLeg([first]);
  expect(leg.counts).toMatchObject({ initiated: 0, baseline_only: 1 });
  expect([leg.changes, leg.stance]).toEqual([[], 'not_determined']);
});

it('reports with a quarter between them are not compared, however similar (rule 5.1)', () => {
  const older = sampleReport('2023-12-31' as typeof BEFORE, { rows: [sampleRow({ amount: 5n })] });
  const { comparable, changes } = diffReports(folded({}), older);
  expect(comparable).toBe(false);
  expect(changes.some(({ change }) => change !== 'NEW')).toBe(false);
  expect(changes.some(({ cusip }) => cusip === APPLE)).toBe(false);
});
