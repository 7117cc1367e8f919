import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import type { Changed } from './changed.ts';
import type { FiledQuarters, KeptReport } from './filed-quarter.ts';
import { type PeerPrices, peerPrices, type Shifts } from './peer-price.ts';
import {
  addCompared,
  decideScale,
  emptySample,
  isDoubtful,
  isOnScale,
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
type Decided = {
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

/** What the prices of others say about the filings of the quarter. */
export type JudgedScales = {
  readonly scalesOf: (cik: Cik) => FilingScale[];
  readonly outliersOf: (cik: Cik) => Cusip[];
};

/**
 * Compares the prices in each filing of the quarter with those of the other filers, and remembers what it needs
 * to compare again only what changed. Two passes over the quotes as filed (rule 4.3). The first compares all in
 * the scale of their date. The second uses the scales that the first one corrected. It leaves out filings whose
 * own prices contradict their scale. So filers that share a mistake do not outvote an honest one, as long as
 * others show the mistake.
 */
export function scaleLedger() {
  const asFiled = peerPrices();
  const [corrected, last] = [peerPrices(asFiled), peerPrices(asFiled)];
  const [decideFirst, decideLast] = [scaleTallies(), scaleTallies()];
  return (quarters: FiledQuarters, changed: Changed): JudgedScales => {
    asFiled.update(quarters, changed);
    corrected.update(quarters, changed, decideFirst(quarters, asFiled).shifts);
    const decided = decideLast(quarters, corrected);
    last.update(quarters, changed, decided.shifts);
    const outliers = outliersIn(quarters, decided, last.slips());
    const { managers } = quarters.names;
    return {
      scalesOf: (cik) =>
        (decided.scales.get(managers.numberOf(cik)) ?? [])
          .filter((scale) => scale !== null)
          .sort((a, b) => compare(a.accession, b.accession)),
      outliersOf: (cik) => (outliers.get(managers.numberOf(cik)) ?? []).sort(),
    };
  };
}

/** Slips of the filings whose scale is certain, by manager (rule 4.4). */
function outliersIn(
  { names }: FiledQuarters,
  { scales, comparedOf }: Decided,
  slips: ReturnType<ReturnType<typeof peerPrices>['slips']>,
): Map<number, Cusip[]> {
  const found = new Map<number, Cusip[]>();
  for (const [security, filings] of slips) {
    for (const { manager, place } of filings) {
      const scale = scales.get(manager)?.[place] ?? null;
      if (!isOnScale(comparedOf(manager)[place] ?? 0, scale)) continue;
      const known = found.get(manager);
      if (known === undefined) found.set(manager, [names.securities.textOf(security)]);
      else known.push(names.securities.textOf(security));
    }
  }
  return found;
}

/**
 * Judges the scale of each filing by the prices of the others (rule 4.3). Where most rows of a filing are near
 * to them, so is the median, wherever it is exactly. The few other filings are judged row by row.
 */
function scaleTallies() {
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
