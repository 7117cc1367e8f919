/**
 * How often each reason of a 13F change stands in a constructed market, and how often it is right: the market of
 * `bench/market` with corporate actions and mistakes of filers that are known.
 *
 *   npm run bench:reasons [-- --filers 2000]
 */
import { diffReports } from '../../src/domain/change/diff.ts';
import { type CorporateActionsByCusip, corporateActionsByCusip } from '../../src/domain/change/restate.ts';
import { emptyNames } from '../../src/domain/columns/room.ts';
import { NO_MARKET } from '../../src/domain/market/market.ts';
import { filedQuarter } from '../../src/domain/peers/filed-quarter.ts';
import { type PeersResult, peersOf } from '../../src/domain/peers/peers.ts';
import { NO_VERDICT } from '../../src/domain/peers/verdict.ts';
import { changeQualityOf, type Reason } from '../../src/domain/quality/quality.ts';
import { foldReport } from '../../src/domain/report/fold.ts';
import { isEquity, type PositionChange, type ReportChanges } from '../../src/domain/report/report.ts';
import { filedReport } from '../../src/store/report/filed-reports.ts';
import { marketOf } from '../market/folder.ts';
import { type Market, quarterEndsOf, SMALL } from '../market/market.ts';
import { type Filer, filerOf, PLANTED } from './filed.ts';
import { type Cause, plantedMarket } from './planted.ts';

const { market } = marketOf(process.argv.slice(2), { ...SMALL, filers: 2_000 });
const planted = plantedMarket(market);
const table = judged(peersOfMarket(market));
console.log(
  `${market.filers} managers, ${table.changes} changes of shares, ${table.undecided} of them no decision`,
);
console.table(table.reasons);
console.table(table.causes);
console.table(table.reports);

function peersOfMarket({ filers }: Market): PeersResult {
  const names = emptyNames();
  const [prior, current, next] = [filedQuarter(names), filedQuarter(names), filedQuarter(names)];
  for (let filer = 0; filer < filers; filer += 1) {
    const one = filerOf(filer, planted);
    for (const [quarter, filings] of [
      [prior, one.prior],
      [current, one.current],
    ] as const) {
      const report = foldReport(filings);
      if (report !== null) quarter.put(filedReport(report));
    }
  }
  const [, quarterEnd] = quarterEndsOf(2);
  if (quarterEnd === undefined) throw new Error('a market has two quarters');
  return peersOf({
    quarterEnd,
    prior,
    current,
    next,
    market: NO_MARKET,
    names,
  });
}

type Marks = { right: number; wrong: number; missed: number };

function judged(result: PeersResult) {
  const actions = corporateActionsByCusip(result.peers.corporateActions);
  const [reasons, causes, reports] = [tally<Reason>(), tally<Cause>(), tally<Reason>()];
  const judge = (change: PositionChange, one: Filer): void => {
    const cause = one.causes.get(change.cusip);
    if (cause !== undefined) causes.note(cause, isClear(change) ? 'missed' : 'right');
    for (const reason of change.reasons)
      reasons.note(reason, isRight(reason, change, one) ? 'right' : 'wrong');
  };
  let changes = 0;
  for (let filer = 0; filer < market.filers; filer += 1) {
    const one = filerOf(filer, planted);
    const diff = diffOf(one, result, actions);
    noteReport(reports, diff, one);
    const moves = diff.comparable ? diff.changes.filter(isMove) : [];
    for (const change of moves) judge(change, one);
    changes += moves.length;
  }
  const undecided = causes.total();
  return { changes, undecided, reasons: reasons.rows(), causes: causes.rows(), reports: reports.rows() };
}

function diffOf({ cik, prior, current }: Filer, { verdicts }: PeersResult, actions: CorporateActionsByCusip) {
  const { scales, outliers, ...rest } = verdicts.get(cik) ?? NO_VERDICT;
  const scaleOf = new Map(scales.map((scale) => [scale.accession, scale]));
  const report = foldReport(current, { ...rest, scales: scaleOf, outliers: new Set(outliers) });
  if (report === null) throw new Error('every manager files');
  return diffReports(report, foldReport(prior), actions);
}

function isClear({ reasons }: PositionChange): boolean {
  return changeQualityOf(reasons).status === 'clear';
}

function tally<Key extends string>() {
  const found = new Map<Key, Marks>();
  return {
    note: (key: Key, mark: keyof Marks): void => {
      const marks = found.get(key) ?? { right: 0, wrong: 0, missed: 0 };
      found.set(key, { ...marks, [mark]: marks[mark] + 1 });
    },
    total: () =>
      [...found.values()].reduce((sum, { right, wrong, missed }) => sum + right + wrong + missed, 0),
    rows: () => Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function isMove(change: PositionChange): boolean {
  return isEquity(change) && (change.change !== 'HELD' || change.restated !== null);
}

/** A restated change must have the sign of what was traded, and a doubted one must be no decision. */
function isRight(
  reason: Reason,
  { cusip, amountDelta, restated }: PositionChange,
  { causes, traded, reportReason }: Filer,
) {
  if (reason === 'split_adjusted' || reason === 'cusip_changed')
    return !causes.has(cusip) && traded.get(cusip) === Math.sign(Number(amountDelta));
  const isSplit = reason === 'split_suspected' && restated === null && planted.isSplit(cusip);
  const isRename = reason === 'cusip_change_suspected' && planted.isRenamed(cusip);
  return isSplit || isRename || causes.has(cusip) || reason === reportReason;
}

/** Of the reasons that were planted in reports: whether each report that has one shows it, and no other. */
function noteReport(
  reports: ReturnType<typeof tally<Reason>>,
  { report, reasons, changes }: ReportChanges,
  one: Filer,
) {
  const shown = new Set([...report.reasons, ...reasons, ...changes.flatMap((change) => change.reasons)]);
  for (const reason of PLANTED) {
    if (shown.has(reason)) reports.note(reason, reason === one.reportReason ? 'right' : 'wrong');
    else if (reason === one.reportReason) reports.note(reason, 'missed');
  }
}
