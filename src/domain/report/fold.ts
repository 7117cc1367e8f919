import { AppError } from '../../errors.ts';
import type { FilingHeader, ThirteenF } from '../filing/filing.ts';
import type { Accession, Cik, Cusip } from '../ids.ts';
import { mergeReasons, type Reason } from '../quality/quality.ts';
import { aggregatePositions, isPlaceholder, type SecurityFacts } from './aggregate.ts';
import { isDoubled, type JudgedFiling, judgeFilings, orderFilings } from './amendment.ts';
import {
  type EffectiveReport,
  isContributing,
  isDoubtedAddition,
  type PublishedAt,
  type ReportFiling,
} from './report.ts';
import {
  comparedWithTotal,
  ownScale,
  repeatsValueAsShares,
  type ScaleDecision,
  valueScaleCents,
} from './scale.ts';

const REVEALED: readonly Reason[] = ['confidential_revealed'];

/** Facts from other filings and lists. All are optional: a fold works without them. */
export type FoldOptions = Omit<SecurityFacts, 'repeated'> & {
  /** Option classes of the official list: their rows are options even when not marked so (rule 3.2). */
  readonly optionClasses?: ReadonlyMap<Cusip, 'PUT' | 'CALL'>;
  /** Scales decided with the prices of other filers; a filing without one uses the scale of its date. */
  readonly scales?: ReadonlyMap<Accession, ScaleDecision>;
  readonly identicalTo?: Cik | null;
  readonly moved?: EffectiveReport['moved'];
};

/**
 * What a manager reported for a quarter: a pure fold over all its filings of one (cik, quarter). Any
 * order and any repeats give the same report (rules 2.8 and 2.11). Null without filings. Throws
 * AppError `fold_mixed_filings` when they are not of one manager and quarter.
 */
export function foldReport(filings: readonly ThirteenF[], options: FoldOptions = {}): EffectiveReport | null {
  const ordered = orderFilings(filings);
  const last = ordered.at(-1);
  if (!last) return null;
  requireOneReport(ordered, last);
  const judged = judgeFilings(ordered.map((filing) => withOptionClasses(filing, options)));
  return judged.some(isContributing) ? holdingsReport(judged, options) : noticeReport(judged, last, options);
}

function withOptionClasses(filing: ThirteenF, { optionClasses }: FoldOptions): ThirteenF {
  // Usually empty; then no row is copied.
  if (optionClasses === undefined || optionClasses.size === 0) return filing;
  const rows = filing.rows.map((row) => {
    const optionClass = row.cusip === null ? undefined : optionClasses.get(row.cusip);
    return optionClass === undefined ? row : { ...row, optionClass };
  });
  return { ...filing, rows };
}

/** The acceptance time; without one the filing day, with precision `day` (rule 1.4). */
export function publishedAtOf(header: Pick<FilingHeader, 'acceptedAt' | 'filedDate'>): PublishedAt {
  return header.acceptedAt === null
    ? { value: header.filedDate, precision: 'day' }
    : { value: header.acceptedAt, precision: 'second' };
}

/** Only notices: other managers report the holdings. This is neither an exit nor an empty portfolio. */
function noticeReport(
  judged: readonly JudgedFiling[],
  last: ThirteenF,
  options: FoldOptions,
): EffectiveReport {
  return {
    ...identityOf(last, judged, options),
    state: 'notice',
    reportType: 'notice',
    isAmended: last.isAmendment,
    confidentialOmitted: false,
    form13fFileNumber: last.form13fFileNumber,
    reportedBy: last.reportedBy,
    includes: last.includes,
    positions: [],
    mistyped: new Set(),
    rowCount: 0,
    identicalTo: null,
    moved: [],
    reasons: ['reported_elsewhere'],
  };
}

function holdingsReport(judged: readonly JudgedFiling[], options: FoldOptions): EffectiveReport {
  const contributing = judged.filter(isContributing);
  const filings = contributing.map(({ filing }) => filing);
  const newest = filings.at(-1) as ThirteenF;
  const { identicalTo = null, moved = [] } = options;
  const base = contributing.find(({ role }) => role === 'base')?.filing ?? null;
  const sources = contributing.map((judged) => sourceOf(judged, options));
  // A doubt about the scale of a supplement concerns its own rows, unless there is no base.
  const whole = base === null ? sources : sources.filter(({ role }) => role === 'base');
  const repeated = new Set(contributing.flatMap((one) => [...one.repeated]));
  const { positions, reasons, mistyped } = aggregatePositions(sources, { ...options, repeated });
  const all: (Reason | null)[] = [
    base === null ? 'supplement_without_base' : null,
    ...judged.map(({ reason }) => reason),
    ...filings.flatMap(totalMismatches),
    ...filings.flatMap(textReasons),
    filings.some(({ header }) => header.encodingGuessed) ? 'encoding_guessed' : null,
    ...whole.flatMap(({ scaleReasons }) => scaleReasons),
    ...reasons,
    filings.some(isDoubled) ? 'doubled_table_suspected' : null,
    repeatsValueAsShares(sources) ? 'shares_equal_value' : null,
    identicalTo === null ? null : 'identical_positions',
  ];
  return {
    ...identityOf(newest, judged, options),
    state: base === null ? 'incomparable' : 'holdings',
    reportType: (base ?? newest).reportType,
    isAmended: filings.some(({ isAmendment }) => isAmendment),
    // One contributing cover that omits positions is enough: any position may be hidden (rule 2.13).
    confidentialOmitted: filings.some(({ confidentialOmitted }) => confidentialOmitted === true),
    form13fFileNumber: (base ?? newest).form13fFileNumber,
    reportedBy: (base ?? newest).reportedBy,
    includes: (base ?? newest).includes,
    ...(base?.takenIn === undefined ? {} : { takenIn: base.takenIn }),
    positions,
    mistyped,
    rowCount: contributing.reduce((count, { rows }) => count + rows.length, 0),
    identicalTo,
    moved,
    reasons: mergeReasons(all.filter((reason) => reason !== null)),
  };
}

/** Scale reasons of a supplement go on each of its rows; those of a base on the report. */
function sourceOf({ filing, rows, role, rowReason }: JudgedFiling, { scales }: FoldOptions) {
  const { accession, filedDate } = filing.header;
  const { scaleCents, reasons: scaleReasons } = scaleOf(filing, scales);
  // A restatement repeats public rows; only added rows are known to have been hidden (rule 2.13).
  const revealed = filing.confidentialReveal ? REVEALED : [];
  const own = rowReason === null ? [] : [rowReason];
  const rowReasons = role === 'base' ? [] : [...own, ...revealed, ...scaleReasons];
  const isDoubted = isDoubtedAddition({ role, scaleReasons });
  const filedScaleCents = valueScaleCents(filedDate);
  return { accession, role, rows, scaleCents, filedScaleCents, rowReasons, scaleReasons, isDoubted };
}

/** Where the prices of other filers decide nothing, the filing itself may. */
function scaleOf(filing: ThirteenF, scales: FoldOptions['scales']): ScaleDecision {
  const byPeers = scales?.get(filing.header.accession);
  if (byPeers !== undefined && !byPeers.reasons.includes('value_unit_unverified')) return byPeers;
  const own = ownScale(filing);
  return own.scaleCents === valueScaleCents(filing.header.filedDate) ? (byPeers ?? own) : own;
}

function identityOf(newest: ThirteenF, judged: readonly JudgedFiling[], { scales }: FoldOptions) {
  const filings = judged.map((one) => reportFiling(one, scales));
  return {
    cik: newest.cik,
    managerName: newest.managerName,
    quarterEnd: newest.quarterEnd,
    filings,
    newest: filings.find(({ accession }) => accession === newest.header.accession) as ReportFiling,
  };
}

function reportFiling(
  { filing, role, reason, rowReason }: JudgedFiling,
  scales: FoldOptions['scales'],
): ReportFiling {
  const { accession, form, filedDate } = filing.header;
  const isAdded = role === 'supplement' || role === 'doubted';
  const scaleReasons = isAdded ? scaleOf(filing, scales).reasons : [];
  const doubt = reason ?? rowReason;
  return {
    accession,
    form,
    filedDate,
    publishedAt: publishedAtOf(filing.header),
    amendmentType: filing.amendmentType,
    role,
    scaleCents: scaleOf(filing, scales).scaleCents,
    ...(scaleReasons.length === 0 ? {} : { scaleReasons }),
    ...(doubt === null ? {} : { doubt }),
  };
}

/** Always marked as text. A text table that does not add up to its total makes every row uncertain. */
function textReasons({ textConfidence }: ThirteenF): Reason[] {
  if (!textConfidence) return [];
  return textConfidence === 'low' ? ['text_table', 'text_value_unsure'] : ['text_table'];
}

/** Declared totals are in the filing's own scale, or in the other one. Rounding may put each row off by one. */
function totalMismatches({ declaredEntryTotal, declaredValueTotal, rows }: ThirteenF): Reason[] {
  const reasons: Reason[] = [];
  const held = rows.filter((row) => !isPlaceholder(row)).length;
  if (declaredEntryTotal !== null && declaredEntryTotal !== rows.length && declaredEntryTotal !== held) {
    reasons.push('entry_total_mismatch');
  }
  const sum = rows.reduce((total, row) => total + row.value, 0n);
  // Twice as many: the total of rows that were rounded one by one may be off by one for each.
  if (declaredValueTotal !== null && comparedWithTotal(sum, declaredValueTotal, 2 * rows.length) === null) {
    reasons.push('value_total_mismatch');
  }
  return reasons;
}

function requireOneReport(filings: readonly ThirteenF[], { cik, quarterEnd }: ThirteenF): void {
  const stray = filings.find((filing) => filing.cik !== cik || filing.quarterEnd !== quarterEnd);
  if (!stray) return;
  throw new AppError(
    'fold_mixed_filings',
    `${stray.header.accession} belongs to ${stray.cik} ${stray.quarterEnd}, not ${cik} ${quarterEnd}`,
  );
}
