import type { Db } from 'mongodb';
import type { CorpusState } from '../../domain/filing/index-coverage.ts';
import type { ManagerObservation } from '../../domain/holders/observation.ts';
import type { OptionObservation } from '../../domain/holders/totals.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { CorporateAction, SuspectedCusipChange } from '../../domain/peers/verdict.ts';
import { mergeReasons } from '../../domain/quality/quality.ts';
import { previousQuarterEnd } from '../../domain/quarter.ts';
import { misprintsOf } from '../../domain/security/cusip.ts';
import { compareNames } from '../../domain/security/issuer-name.ts';
import { heldAmong } from '../../store/report/holdings.ts';
import { type LateManager, lateManagers } from '../../store/report/last-held.ts';
import { reportsOfQuarter, type ShowingReport } from '../../store/report/reports.ts';
import { statedOfIssuers } from '../../store/security/securities.ts';
import { holdersAmong, optionsAmong, type Shown } from './among.ts';
import {
  historyAmong,
  type LatestActions,
  latestActions,
  type SecurityHistory,
  securityHistory,
} from './security-history.ts';
import { optionsIn, readAmong, shownIn } from './shown.ts';

type Observations = {
  /** The managers that count (rule 7.1), each by the report that it counts by. */
  readonly counted: ManagerObservation[];
  /** Of the managers that count, by the same reports. */
  readonly options: OptionObservation[];
  /** Each late manager that holds the security in its last report, counted or not. */
  readonly late: readonly LateManager[];
  /** The names of the security, the present one first. */
  readonly cusips: readonly Cusip[];
  /** Of those managers, of which one may be twice. */
  readonly reports: readonly ShowingReport[];
};

type Within = {
  readonly state: CorpusState;
  /** Left out where nobody else has asked for them. */
  readonly actions?: LatestActions;
};

/**
 * Which reports count (rule 7.1). A manager that reported the latest quarter counts by that report.
 * One that is a quarter late counts by its older report while the filing window is open. All others
 * are only stale observations.
 */
export async function observationsOf(db: Db, cusip: Cusip, within: Within): Promise<Observations> {
  const { holders, late, ...read } = await currentHolders(db, cusip, within);
  const { options, reports } = await currentOptions(db, read, within.state);
  return { counted: holders, options, late, cusips: read.history?.cusips ?? [cusip], reports };
}

type Read = {
  readonly history: SecurityHistory | null;
  /** Of the holders: most managers with options hold shares too. */
  readonly reports: readonly ShowingReport[];
};

/** With the reports of those who hold options alone. */
async function currentOptions(
  db: Db,
  { history, reports }: Read,
  { latestReportedQuarterEnd: latest, filingWindow }: CorpusState,
) {
  if (history === null || latest === null) return { options: [], reports };
  const shown = [...(await optionsIn(db, { cusips: history.cusips, quarterEnd: latest, reports }))];
  if (filingWindow === 'open') {
    const late = { cusips: history.cusips, quarterEnd: previousQuarterEnd(latest), reports };
    const before = await optionsIn(db, late);
    const ciks = before.map(({ position }) => position.cik);
    const reported = await reportsOfQuarter(db, latest, ciks);
    shown.push(...before.filter(({ position }) => !reported.has(position.cik)));
  }
  const options = optionsAmong(shown, { history, counted: latest });
  return { options, reports: [...reports, ...shown.map(({ report }) => report)] };
}

/**
 * The same observations with the other fields of a list of holders. Shares of an older report, or
 * under a former CUSIP, are converted into shares of the latest quarter.
 */
export async function currentHolders(db: Db, cusip: Cusip, { state, actions }: Within) {
  const { latestReportedQuarterEnd: latest, filingWindow } = state;
  if (latest === null) return { holders: [], late: [], history: null, reports: [] };
  const history = historyAmong(cusip, await (actions ?? latestActions(db, latest))(), latest);
  // Read before the reports of the latest quarter: a manager that reports meanwhile is in one of the two.
  const holding = await lateManagers(db, history.cusips, { latest, by: 'held' });
  const carriable =
    filingWindow === 'open' ? await lateByAQuarter(db, history.cusips, { latest, holding }) : [];
  const current = await shownIn(db, history.cusips, latest);
  const reported = new Set(current.map(({ position }) => position.cik));
  const isLate = ({ cik }: LateManager): boolean => !reported.has(cik);
  const carried = await carriedTo(db, history.cusips, { latest, late: carriable.filter(isLate) });
  const holders = await holdersAmong(db, [...current, ...carried], { history, counted: latest });
  return {
    holders: await withDoubted(db, holders, { history, quarterEnd: latest }),
    late: holding.filter(isLate),
    history,
    reports: [...current, ...carried].map(({ report }) => report),
  };
}

type Open = { readonly latest: QuarterEnd; readonly holding: readonly LateManager[] };

/**
 * The managers whose positions are carried into an open window: those one quarter late, also with what
 * they sold. One whose report of the latest quarter has just been stored is not late any more.
 */
async function lateByAQuarter(
  db: Db,
  cusips: readonly Cusip[],
  { latest, holding }: Open,
): Promise<LateManager[]> {
  const selling = await lateManagers(db, cusips, { latest, by: 'exited' });
  const late = [...holding, ...selling].filter(({ quarterEnd }) => quarterEnd === previousQuarterEnd(latest));
  const reported = await reportsOfQuarter(
    db,
    latest,
    late.map(({ cik }) => cik),
  );
  return late.filter(({ cik }) => !reported.has(cik));
}

type Late = { readonly latest: QuarterEnd; readonly late: readonly LateManager[] };

async function carriedTo(db: Db, cusips: readonly Cusip[], { latest, late }: Late): Promise<Shown[]> {
  const ciks = [...new Set(late.map(({ cik }) => cik))];
  const reports = await reportsOfQuarter(db, previousQuarterEnd(latest), ciks);
  return readAmong(db, { cusips, reports });
}

/**
 * The holders by the reports of one quarter alone: no older report is carried forward, and shares are
 * those of that quarter. The CUSIP is the one of the latest quarter.
 */
export async function holdersInQuarter(
  db: Db,
  cusip: Cusip,
  { quarterEnd, latest }: { readonly quarterEnd: QuarterEnd; readonly latest: QuarterEnd | null },
): Promise<ManagerObservation[]> {
  const span = { reported: quarterEnd, latest: latest ?? quarterEnd };
  const history = await securityHistory(db, cusip, span);
  const shown = await shownIn(db, history.cusips, quarterEnd);
  const holders = await holdersAmong(db, shown, { history, counted: quarterEnd });
  return withDoubted(db, holders, { history, quarterEnd });
}

type InQuarter = {
  readonly history: SecurityHistory;
  readonly quarterEnd: QuarterEnd;
  /** {@link heldMisprints}, where several quarters share them. */
  readonly misprints?: readonly Cusip[];
  /** The rows of these CUSIPs in the quarter; left out: those of all managers. */
  readonly read?: (cusips: readonly Cusip[]) => Promise<Shown[]>;
};

/** The misprints of a CUSIP under which reports hold something: mostly none. */
export function heldMisprints(db: Db, cusip: Cusip): Promise<Cusip[]> {
  return heldAmong(db, misprintsOf(cusip));
}

/**
 * The holders of a quarter with rows of others that may be of the security, in doubt, but not missing: exits under the
 * CUSIP that the symbol had before, where nothing proves that it is the same security, or its factor (rule 4.8); and
 * rows of its issuer's name under a misprint of the CUSIP, which are in no figure (rule 5.6).
 */
export async function withDoubted(
  db: Db,
  holders: readonly ManagerObservation[],
  { history, quarterEnd, misprints: known, read = (cusips) => shownIn(db, cusips, quarterEnd) }: InQuarter,
): Promise<ManagerObservation[]> {
  const counted = new Set(holders.map(({ cik }) => cik));
  const under = async (from: Cusip, mayBe: (position: Shown['position']) => boolean) => {
    const rows = (await read([from])).filter(({ position }) => !counted.has(position.cik) && mayBe(position));
    const counting = { history: { cusip: from, cusips: [from], quarters: [] }, counted: quarterEnd };
    return holdersAmong(db, rows, counting);
  };
  const exits = doubtedChanges(history, quarterEnd).map(async (action) =>
    (await under(action.from, ({ amount }) => amount === 0n)).map((one) => ({
      ...one,
      corporateActions: [action],
      reasons: mergeReasons(one.reasons, ['cusip_change_suspected']),
    })),
  );
  const misprints = known ?? (await heldMisprints(db, history.cusip));
  const stated = misprints.length === 0 ? [] : await statedOfIssuers(db, [history.cusip]);
  const isMistyped = ({ issuer, reasons }: Shown['position']) =>
    reasons.includes('cusip_checksum_failed') &&
    stated.some(({ name }) => compareNames(name, issuer) === 'same');
  const mistyped = misprints.map((misprint) => under(misprint, isMistyped));
  return [...holders, ...(await Promise.all([...exits, ...mistyped])).flat()];
}

/** Changes of the quarter that a symbol shows and nothing proves. */
export function doubtedChanges(
  { quarters }: SecurityHistory,
  quarterEnd: QuarterEnd,
): SuspectedCusipChange[] {
  const own = quarters.find((quarter) => quarter.quarterEnd === quarterEnd)?.corporateActions ?? [];
  return own.filter(isDoubtedSymbol);
}

function isDoubtedSymbol(action: CorporateAction): action is SuspectedCusipChange {
  return action.kind === 'cusip_change_suspected' && action.prices !== undefined;
}
