import type { Accession, Cik, QuarterEnd } from '../ids.ts';
import { abs } from '../money.ts';
import type { CorporateAction } from '../peers/verdict.ts';
import { changeQualityOf, type Quality, type Reason } from '../quality/quality.ts';
import { weightPct } from '../ratio.ts';
import { isValued, weighedAgainst } from '../report/holding.ts';
import {
  isContributing,
  isOneForOne,
  type PositionChange,
  type PublishedAt,
  type ReportFiling,
  type Restatement,
  type RowsUsed,
} from '../report/report.ts';
import type { Institutional } from '../wire/brief.ts';

/**
 * One manager's equity position in the security in the quarter that it is judged by:
 * the latest reported quarter, or the one before while the filing window is open.
 */
export type ManagerObservation = {
  readonly cik: Cik;
  readonly name: string;
  readonly slug: string;
  readonly quarterEnd: QuarterEnd;
  readonly currentShares: bigint;
  /** The shares as reported, where `currentShares` are restated to a later quarter. */
  readonly filedCurrentShares?: bigint;
  /** Its shares are of a filing that is not believed, so they are in no sum (rule 2.10). */
  readonly isDoubted?: true;
  readonly previousShares: bigint;
  readonly currentValueCents: bigint;
  readonly previousValueCents: bigint;
  /** Equity value of the whole report: the base of the position's weight. */
  readonly reportAumCents: bigint;
  /** False for a baseline: there is no comparable report for the quarter before. */
  readonly comparable: boolean;
  /** Managers between whose reports and this one positions may have moved (rule 4.11); left out when none did. */
  readonly movedWith?: readonly string[];
  readonly publishedAt: PublishedAt;
  /** The report's filings first, then the prior report's, with their supplements (rule 8.6). */
  readonly accessions: readonly Accession[];
  /** Rows behind the amounts, in either report. */
  readonly rowsUsed: readonly RowsUsed[];
  readonly amendment: { readonly isAmendment: boolean; readonly amendmentType: string | null };
  readonly restated: Restatement | null;
  /** What the peers of the quarter imply about the security: one list for all observations. */
  readonly corporateActions: readonly CorporateAction[];
  readonly reasons: readonly Reason[];
};

/** An observation without the names of its manager. */
export type Observed = Omit<ManagerObservation, 'name' | 'slug'>;

/** Whether the report still counts in the shares, or under the CUSIP, of before a corporate action (rule 7.2). */
export function isInEarlierTerms({ filedCurrentShares = 0n }: Observed): boolean {
  return filedCurrentShares > 0n;
}

export function isRestatedForSplit({ restated }: Observed): boolean {
  return restated !== null && !isOneForOne(restated.factor);
}

/** A position as its report shows it. */
type ShownPosition = Pick<
  PositionChange,
  'amount' | 'valueCents' | 'priorAmount' | 'priorValueCents' | 'restated' | 'reasons'
> & {
  readonly cik: Cik;
  readonly quarterEnd: QuarterEnd;
  /** Index in the report's filings of the one that the change comes from; -1 when it has none of its own. */
  readonly filing: number;
  /** `filing` counts through the report's filings, then through its prior accessions. */
  readonly rowsUsed: readonly { readonly filing: number; readonly rows: string }[];
};

type ShowingReport = {
  readonly filings: readonly ReportFiling[];
  readonly newest: ReportFiling;
  readonly comparable: boolean;
  readonly priorAccessions: readonly Accession[];
  readonly aumCents: bigint;
  readonly weighedCents?: bigint;
  readonly movedWith?: readonly string[];
};

type Shown = { readonly position: ShownPosition; readonly report: ShowingReport };

export function toObservation(
  shown: Shown,
  { name, slug }: Pick<ManagerObservation, 'name' | 'slug'>,
): ManagerObservation {
  return { ...observed(shown), name, slug };
}

/** Dated by the filing of the change, so that a late supplement dates only its own rows. */
export function observed({ position, report }: Shown): Observed {
  const filing = report.filings[position.filing] ?? report.newest;
  return {
    cik: position.cik,
    quarterEnd: position.quarterEnd,
    currentShares: position.amount,
    ...(isOfDoubted({ position, report }) ? { isDoubted: true } : {}),
    previousShares: position.priorAmount,
    currentValueCents: position.valueCents,
    previousValueCents: position.priorValueCents,
    reportAumCents: weighedAgainst(report, position),
    comparable: report.comparable,
    ...(report.movedWith === undefined ? {} : { movedWith: report.movedWith }),
    publishedAt: filing.publishedAt,
    accessions: [...accessionsOf(report), ...report.priorAccessions],
    rowsUsed: rowsUsed(position, report),
    amendment: { isAmendment: filing.form.endsWith('/A'), amendmentType: filing.amendmentType },
    restated: position.restated,
    corporateActions: [],
    reasons: position.reasons,
  };
}

/** Whether the rows of the position are of a filing that is not believed. */
export function isOfDoubted({ position, report }: Shown): boolean {
  return report.filings[position.filing]?.role === 'doubted';
}

/** A filing that is not believed raised the doubt, so it is evidence too. */
function accessionsOf({ filings }: ShowingReport): Accession[] {
  const read = filings.filter((filing) => isContributing(filing) || filing.role === 'ignored');
  return read.map(({ accession }) => accession);
}

function rowsUsed(position: ShownPosition, { filings, priorAccessions }: ShowingReport): RowsUsed[] {
  const accessions = [...filings.map(({ accession }) => accession), ...priorAccessions];
  return position.rowsUsed.flatMap(({ filing, rows }) => {
    const accession = accessions[filing];
    return accession === undefined ? [] : [{ accession, rows }];
  });
}

export type Action = keyof Institutional['counts'];

/** An observation with its action and its quality. */
export type JudgedObservation = {
  readonly observation: ManagerObservation;
  readonly action: Action;
  readonly quality: Quality;
};

export function judge(observation: ManagerObservation): JudgedObservation {
  return { observation, action: actionOf(observation), quality: qualityOfObservation(observation) };
}

export function qualityOfObservation({ comparable, reasons }: Observed): Quality {
  return changeQualityOf(comparable ? reasons : [...reasons, 'no_prior_comparable_filing']);
}

/** Whether the share count is one of the security: it repeats no value (rule 2.3), and its filing is believed. */
export function hasKnownShares({ observation, quality }: JudgedObservation): boolean {
  return observation.isDoubted !== true && !quality.reasons.includes('shares_equal_value');
}

/** A manager that holds nothing in either quarter does not observe the security. */
export function holdsOrHeld({ currentShares, previousShares, comparable }: Observed): boolean {
  return currentShares > 0n || (comparable && previousShares > 0n);
}

function actionOf({ comparable, currentShares, previousShares }: ManagerObservation): Action {
  if (!comparable) return 'baseline_only';
  if (currentShares === previousShares) return 'unchanged';
  if (previousShares === 0n) return 'initiated';
  if (currentShares === 0n) return 'exited';
  return currentShares > previousShares ? 'added' : 'reduced';
}

export function isChange(action: Action): boolean {
  return action !== 'unchanged' && action !== 'baseline_only';
}

/** The size that ranks a change, in shares. Values would move with the price. */
export function sharesMoved({ currentShares, previousShares }: ManagerObservation): bigint {
  return abs(currentShares - previousShares);
}

/** Share of the position in the equity of its report, in percent; 0 where its value does not count. */
export function weightOf({ observation, quality }: Pick<JudgedObservation, 'observation' | 'quality'>) {
  return isValued(quality) ? weightPct(observation.currentValueCents, observation.reportAumCents) : 0;
}
