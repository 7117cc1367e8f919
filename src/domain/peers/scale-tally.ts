import type { FiledQuarters, KeptReport } from './filed-quarter.ts';
import type { PeerPrices, Shifts } from './peer-price.ts';
import {
  addCompared,
  decideScale,
  emptySample,
  isDoubtful,
  type PeerOpinion,
  type ScaleSample,
  scaleBy,
} from './scale-vote.ts';
import { AS_DATED_BAND, MIN_COMPARABLE_ROWS } from './thresholds.ts';
import type { FilingScale } from './verdict.ts';

/** Of each filing of a report: the rows that other filers price, and those of them near to that price. */
type Tally = { readonly compared: number[]; readonly near: number[] };

/** Of each filing of a report. Null where the scale is simply that of the date. */
export type Scales = readonly (FilingScale | null)[];

/** What is decided of the filings of the quarter, by manager. */
export type Decided = {
  /** Of managers with any scale that is not simply that of the date. */
  readonly scales: ReadonlyMap<number, Scales>;
  readonly shifts: Shifts;
  /** Rows of each filing that other filers price. */
  readonly comparedOf: (manager: number) => readonly number[];
};

/** A report, and the prices that others give its rows. */
type Priced = {
  readonly quarters: FiledQuarters;
  readonly prices: PeerPrices;
  readonly report: KeptReport;
};

/**
 * Judges the scale of each filing by the prices of the others (rule 4.3). Where most rows of a filing are near
 * to them, so is the median, wherever it is exactly. The few other filings are judged row by row.
 */
export function scaleTallies() {
  const tallies = new Map<number, Tally>();
  return (quarters: FiledQuarters, prices: PeerPrices): Decided => {
    const { reports } = quarters.current;
    for (const manager of prices.moved()) {
      const report = reports.get(quarters.names.managers.textOf(manager));
      if (report === undefined) tallies.delete(manager);
      else tallies.set(manager, tallyOf({ quarters, prices, report }));
    }
    const [scales, shifts] = [new Map<number, Scales>(), new Map<number, number[]>()];
    for (const report of reports.values()) {
      const decided = scalesOf({ quarters, prices, report }, tallies.get(report.manager));
      if (decided.every((scale) => scale === null)) continue;
      scales.set(report.manager, decided);
      const own = decided.map((scale, place) => shiftOf(report, place, scale));
      if (own.some((shift) => shift !== 0)) shifts.set(report.manager, own);
    }
    return { scales, shifts, comparedOf: (manager) => tallies.get(manager)?.compared ?? [] };
  };
}

function tallyOf(priced: Priced): Tally {
  const filings = priced.report.filings.length;
  const tally = { compared: new Array<number>(filings).fill(0), near: new Array<number>(filings).fill(0) };
  eachCompared(priced, (place, distance) => {
    (tally.compared[place] as number) += 1;
    if (Math.abs(distance) < AS_DATED_BAND) (tally.near[place] as number) += 1;
  });
  return tally;
}

function scalesOf(priced: Priced, { compared, near }: Tally = { compared: [], near: [] }): Scales {
  const { filings } = priced.report;
  const known = filings.map((_, place) => opinionOf(compared[place] ?? 0, near[place] ?? 0));
  const samples = known.includes(null) ? sampled(priced) : [];
  return filings.map((filing, place) => {
    const [opinion, sample] = [known[place] ?? null, samples[place]];
    return opinion === null && sample !== undefined
      ? decideScale(sample)
      : scaleBy(opinion ?? 'silent', filing);
  });
}

/** What the counts alone say: with more than half of the rows near to zero, so is the middle of them. */
function opinionOf(compared: number, near: number): PeerOpinion | null {
  if (compared === 0) return 'silent';
  return compared >= MIN_COMPARABLE_ROWS && near * 2 > compared ? 'as_dated' : null;
}

function sampled(priced: Priced): ScaleSample[] {
  const samples = priced.report.filings.map(emptySample);
  const { exactOf } = priced.quarters.current;
  eachCompared(priced, (place, distance, row) =>
    addCompared(samples[place] as ScaleSample, distance, () => exactOf(row).valueCents),
  );
  return samples;
}

/** Visits the rows that other filers price, with the decimal orders that they are from that price. */
function eachCompared(
  { quarters, prices, report }: Priced,
  visit: (place: number, distance: number, row: number) => void,
): void {
  const { columns, rangeOf, centsOf, amountOf } = quarters.current;
  const { filing } = columns();
  const { from, to } = rangeOf(report.manager);
  for (let row = from; row < to; row += 1) {
    const log = Math.log10(centsOf(row) / amountOf(row));
    const price = prices.priceOf(quarters, row, log);
    if (!Number.isNaN(price)) visit(filing[row] as number, log - price, row);
  }
}

function shiftOf({ filings }: KeptReport, place: number, scale: FilingScale | null): number {
  const filing = filings[place];
  if (scale === null || filing === undefined) return 0;
  if (isDoubtful(filing, scale)) return Number.NaN;
  return Math.log10(Number(scale.scaleCents) / Number(filing.datedCents));
}
