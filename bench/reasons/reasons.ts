/**
 * How often each reason of a 13F change is right, where corporate actions and mistakes of filers are planted: into the
 * market of `bench/market`, or into each two adjacent quarters of a folder of real submissions.
 *
 *   npm run bench:reasons [-- --filers 2000 | -- demo/quarter]
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
import { type Filer, filerOf, PLANTED, type Run } from './filed.ts';
import { type Cause, plantedMarket } from './planted.ts';
import { runsOf } from './real.ts';

const RESTATED: ReadonlySet<Cause> = new Set(['split', 'new CUSIP', 'split with a new CUSIP']);

const { dir, market } = marketOf(process.argv.slice(2), { ...SMALL, filers: 2_000 });
const table = dir === undefined ? judged([{ planted: [constructed(market)] }]) : judged(runsOf(dir));
console.log(`${table.runs} runs, ${table.changes} changes of shares, ${table.undecided} of them no decision`);
console.table(table.reasons);
console.table(table.causes);
console.table(table.reports);

function constructed({ filers, ...rest }: Market): Run {
  const planted = plantedMarket({ filers, ...rest });
  const [, quarterEnd] = quarterEndsOf(2);
  if (quarterEnd === undefined) throw new Error('a market has two quarters');
  // Made again for each reading: all of them at once take gigabytes.
  const each = function* () {
    for (let filer = 0; filer < filers; filer += 1) yield filerOf(filer, planted);
  };
  return { ...planted, quarterEnd, filers: { [Symbol.iterator]: each } };
}

/** Without daily prices: those of the files know nothing of what is planted. */
function peersOfRun({ quarterEnd, filers }: Run): PeersResult {
  const names = emptyNames();
  const [prior, current, next] = [filedQuarter(names), filedQuarter(names), filedQuarter(names)];
  for (const one of filers) {
    for (const [quarter, filings] of [
      [prior, one.prior],
      [current, one.current],
    ] as const) {
      const report = foldReport(filings);
      if (report !== null) quarter.put(filedReport(report));
    }
  }
  return peersOf({ quarterEnd, prior, current, next, market: NO_MARKET, names });
}

type Marks = { right: number; wrong: number; missed: number };

/** @param asIs what is marked in it already is no mark of what is planted */
function judged(pairs: readonly { readonly asIs?: Run; readonly planted: readonly Run[] }[]) {
  const marks = tallies();
  for (const { asIs, planted } of pairs) {
    const known = new Set(asIs === undefined ? [] : [...comparedIn(asIs)].flatMap(marksOf));
    for (const run of planted)
      for (const { one, diff } of comparedIn(run)) marks.note(diff, { one, run, known });
  }
  return { runs: pairs.reduce((sum, { planted }) => sum + planted.length, 0), ...marks.found() };
}

type Where = { readonly one: Filer; readonly run: Run; readonly known: ReadonlySet<string> };

function tallies() {
  const [reasons, causes, reports] = [tally<Reason>(), tally<Cause>(), tally<Reason>()];
  let changes = 0;
  const noteChange = (change: PositionChange, { one, run, known }: Where): void => {
    const cause = one.causes.get(change.cusip);
    if (cause !== undefined) causes.note(cause, isSeen(change, cause) ? 'right' : 'missed');
    const isNew = (reason: Reason): boolean =>
      !['all', change.cusip].some((of) => known.has(markOf(one, of, reason)));
    for (const reason of change.reasons.filter(isNew))
      reasons.note(reason, isRight(reason, change, { one, run }) ? 'right' : 'wrong');
  };
  return {
    note: (diff: ReportChanges, where: Where): void => {
      noteReport(reports, diff, where);
      const moves = diff.comparable ? diff.changes.filter(isMove) : [];
      for (const change of moves) noteChange(change, where);
      changes += moves.length;
    },
    found: () => ({
      ...{ changes, undecided: causes.total() },
      ...{ reasons: reasons.rows(), causes: causes.rows(), reports: reports.rows() },
    }),
  };
}

type Compared = { readonly one: Filer; readonly diff: ReportChanges };

function* comparedIn(run: Run): Generator<Compared> {
  const result = peersOfRun(run);
  const actions = corporateActionsByCusip(result.peers.corporateActions);
  for (const one of run.filers) yield { one, diff: diffOf(one, result, actions) };
}

function markOf({ cik }: Filer, of: string, reason: Reason): string {
  return `${cik} ${of} ${reason}`;
}

function marksOf({ one, diff }: Compared): string[] {
  const ofChanges = diff.changes.flatMap(({ cusip, reasons }) =>
    reasons.map((reason) => markOf(one, cusip, reason)),
  );
  const ofAll = [...diff.report.reasons, ...diff.reasons].map((reason) => markOf(one, 'all', reason));
  return [...ofChanges, ...ofAll, ...shownIn(diff).map((reason) => markOf(one, 'report', reason))];
}

function diffOf({ cik, prior, current }: Filer, { verdicts }: PeersResult, actions: CorporateActionsByCusip) {
  const { scales, outliers, ...rest } = verdicts.get(cik) ?? NO_VERDICT;
  const scaleOf = new Map(scales.map((scale) => [scale.accession, scale]));
  const report = foldReport(current, { ...rest, scales: scaleOf, outliers: new Set(outliers) });
  if (report === null) throw new Error('every manager files');
  return diffReports(report, foldReport(prior), actions);
}

/** Whether it is in doubt, or restated where that is right. */
function isSeen({ reasons, restated }: PositionChange, cause: Cause): boolean {
  return changeQualityOf(reasons).status !== 'clear' || (restated !== null && RESTATED.has(cause));
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

/** A restated change must have the sign of what was traded, where that is known; a doubted one must be no decision. */
function isRight(
  reason: Reason,
  { cusip, amountDelta, restated }: PositionChange,
  { one: { causes, traded, reportReason }, run }: { readonly one: Filer; readonly run: Run },
) {
  const cause = causes.get(cusip);
  if (reason === 'split_adjusted' || reason === 'cusip_changed')
    return cause === undefined ? traded.get(cusip) === Math.sign(Number(amountDelta)) : RESTATED.has(cause);
  const isSplit = reason === 'split_suspected' && restated === null && run.isSplit(cusip);
  const isRename = reason === 'cusip_change_suspected' && run.isRenamed(cusip);
  const isScale = reason === 'value_unit_unverified' && reportReason === 'value_unit_thousands_after_2023';
  return isSplit || isRename || isScale || cause !== undefined || reason === reportReason;
}

function shownIn({ report, reasons, changes }: ReportChanges): Reason[] {
  return [...new Set([...report.reasons, ...reasons, ...changes.flatMap((change) => change.reasons)])];
}

/** Of the reasons that were planted in reports: whether each report that has one shows it, and no other. */
function noteReport(reports: ReturnType<typeof tally<Reason>>, diff: ReportChanges, { one, known }: Where) {
  const shown = new Set(shownIn(diff));
  for (const reason of PLANTED) {
    if (known.has(markOf(one, 'report', reason))) continue;
    if (shown.has(reason)) reports.note(reason, reason === one.reportReason ? 'right' : 'wrong');
    else if (reason === one.reportReason) reports.note(reason, 'missed');
  }
}
