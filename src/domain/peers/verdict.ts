import type { Accession, Cik, Cusip, QuarterEnd } from '../ids.ts';
import type { Reason } from '../quality/quality.ts';
import type { SplitFactor } from '../report/split-factor.ts';

/**
 * What the filers of a quarter say together, and no filing says alone: splits and new CUSIPs since
 * the quarter before (rule 4.5), and the units and the slips of single reports (rule 4.3). All
 * of it is computed from positions as filed, with the unit of the filing date, and never from what
 * it corrects: so it is a pure function of the filings, whatever the order in which they came.
 */
export type PeerVerdicts = {
  /** The later of the two quarters compared. */
  readonly quarterEnd: QuarterEnd;
  readonly corporateActions: readonly CorporateAction[];
};

/** At most one of `split`, `common_ratio`, `refuted` and `mass_exit` for a CUSIP; sorted by CUSIP, then kind. */
export type CorporateAction = SplitVote | RefutedSplit | CommonRatio | CusipChange | MassExit | MassEntry;

/** Enough filers' share counts moved by one factor, and the price by its inverse: a split. */
export type SplitVote = {
  readonly kind: 'split';
  readonly cusip: Cusip;
  readonly factor: SplitFactor;
  /** Filers whose share count moved by the factor, of those that held the security at both ends. */
  readonly votes: number;
  readonly compared: number;
  readonly unchanged: number;
};

/** Some holder's change looks like a split, but enough others' share counts stood still. */
export type RefutedSplit = {
  readonly kind: 'refuted';
  readonly cusip: Cusip;
  readonly compared: number;
  readonly unchanged: number;
  /** The median price at the later end, in thousandths of that at the earlier; null where either is unknown. */
  readonly pricePermille: number | null;
};

/**
 * Most holders' share counts moved by one ratio, or near it, that no vote restates by: one that splits
 * do not usually have, as a stock dividend, or one that too few moved by exactly.
 */
export type CommonRatio = {
  readonly kind: 'common_ratio';
  readonly cusip: Cusip;
  readonly factor: SplitFactor;
  readonly votes: number;
  readonly compared: number;
};

/** The holders of one CUSIP hold another one now: a reverse split, a new domicile, a new name. */
export type CusipChange = {
  readonly kind: 'cusip_change';
  /** The new CUSIP. */
  readonly cusip: Cusip;
  readonly from: Cusip;
  /** New shares for each old one. */
  readonly factor: SplitFactor;
  /** Holders that went over, of those of the old CUSIP that reported both quarters. */
  readonly votes: number;
  readonly compared: number;
};

/** Nearly all holders of a CUSIP left it at once, or most went over to another one that no ratio links. */
export type MassExit = {
  readonly kind: 'mass_exit';
  readonly cusip: Cusip;
  readonly votes: number;
  readonly compared: number;
};

/** Nearly all holders of a CUSIP entered it at once, and most of them held one and the same other, or left it: it was given to them. */
export type MassEntry = {
  readonly kind: 'mass_entry';
  readonly cusip: Cusip;
  readonly votes: number;
  readonly compared: number;
};

/** What the others' reports say of one report. An empty one is not stored. */
export type ReportVerdict = {
  /** For each filing whose unit is not simply that of its date, or could not be confirmed. */
  readonly scales: readonly FilingScale[];
  /** CUSIPs of equity rows whose value per share is far from everybody else's (rule 4.4). */
  readonly outliers: readonly Cusip[];
  /** Another manager of the quarter with the very same book; the lowest CIK of those (rule 4.10). */
  readonly identicalTo: Cik | null;
  /** The manager whose book this one took over (rule 4.10). */
  readonly predecessor: Cik | null;
};

export type FilingScale = {
  readonly accession: Accession;
  /** Cents in one unit of the value column. */
  readonly scaleCents: bigint;
  readonly reasons: readonly Reason[];
};

export const NO_VERDICT: ReportVerdict = { scales: [], outliers: [], identicalTo: null, predecessor: null };
