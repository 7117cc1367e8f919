import { compare } from '../compare.ts';
import type { Cik, Cusip } from '../ids.ts';
import type { Changed, FiledQuarters, KeptReport } from './filed-quarter.ts';
import { type PeerPrices, peerPrices, type Shifts } from './peer-price.ts';
import { decideScale, emptySample, isDoubtful, isOnScale, isPlain, type ScaleSample } from './scale-vote.ts';
import { MIN_COMPARABLE_ROWS } from './thresholds.ts';
import type { FilingScale } from './verdict.ts';

/** What the prices of others say about the filings of the quarter. */
export type JudgedScales = {
  readonly scalesOf: (cik: Cik) => FilingScale[];
  readonly outliersOf: (cik: Cik) => Cusip[];
};

/** Of each filing of a report: its scale, null where that is simply that of the date, and how many rows others price. */
type Judged = {
  readonly report: KeptReport;
  readonly scales: readonly (FilingScale | null)[];
  readonly compared: readonly number[];
};

/** By the numbers of managers. */
type JudgedReports = ReadonlyMap<number, Judged>;

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
  const [judgeFirst, judgeLast] = [reportJudge(), reportJudge()];
  return (quarters: FiledQuarters, changed: Changed): JudgedScales => {
    asFiled.update(quarters, changed);
    corrected.update(quarters, changed, shiftsOf(judgeFirst(quarters, asFiled)));
    const judged = judgeLast(quarters, corrected);
    last.update(quarters, changed, shiftsOf(judged));
    const outliers = outliersIn(quarters, judged, last);
    const { managers } = quarters.names;
    return {
      scalesOf: (cik) =>
        (judged.get(managers.numberOf(cik))?.scales ?? [])
          .filter((scale) => scale !== null)
          .sort((a, b) => compare(a.accession, b.accession)),
      outliersOf: (cik) => (outliers.get(managers.numberOf(cik)) ?? []).sort(),
    };
  };
}

/**
 * Judges the scale of each filing by the prices of the others (rule 4.3). Where most rows of a filing are near
 * to them, so is the median, wherever it is exactly: only the other filings are judged each time.
 */
function reportJudge() {
  const known = new Map<number, Judged>();
  return (quarters: FiledQuarters, prices: PeerPrices): JudgedReports => {
    for (const manager of prices.moved) known.delete(manager);
    const judged = new Map(known);
    for (const report of quarters.current.reports.values()) {
      if (known.has(report.manager)) continue;
      const samples = samplesOf(report, quarters, prices);
      const one = {
        report,
        scales: samples.map(decideScale),
        compared: samples.map(({ logs }) => logs.length),
      };
      judged.set(report.manager, one);
      if (samples.every(isPlain)) known.set(report.manager, one);
    }
    return judged;
  };
}

/** How far the rows of each filing that other filers price are from that price, in decimal orders. */
function samplesOf(report: KeptReport, quarters: FiledQuarters, prices: PeerPrices): ScaleSample[] {
  const { columns, rangeOf, centsOf, amountOf, exactOf } = quarters.current;
  const samples = report.filings.map(emptySample);
  const { from, to } = rangeOf(report.manager);
  for (let row = from; row < to; row += 1) {
    const own = Math.log10(centsOf(row) / amountOf(row));
    const log = own - prices.priceOf(quarters, row, own);
    const sample = samples[columns().filing[row] as number];
    if (Number.isNaN(log) || sample === undefined) continue;
    sample.logs.push(log);
    if (sample.thin.length < MIN_COMPARABLE_ROWS)
      sample.thin.push({ log, valueCents: exactOf(row).valueCents });
  }
  return samples;
}

/** Decimal orders by which the decided scales differ from those of the dates. */
function shiftsOf(judged: JudgedReports): Shifts {
  const shifts = new Map<number, number[]>();
  for (const [manager, { report, scales }] of judged) {
    const own = report.filings.map((filing, place) => {
      const scale = scales[place] ?? null;
      if (scale === null) return 0;
      if (isDoubtful(filing, scale)) return Number.NaN;
      return Math.log10(Number(scale.scaleCents) / Number(filing.datedCents));
    });
    if (own.some((shift) => shift !== 0)) shifts.set(manager, own);
  }
  return shifts;
}

/** Slips of the filings whose scale is certain, by manager (rule 4.4). */
function outliersIn({ names }: FiledQuarters, judged: JudgedReports, prices: PeerPrices) {
  const found = new Map<number, Cusip[]>();
  for (const [security, { slips }] of prices.all()) {
    for (const { manager, place } of slips) {
      const { scales = [], compared = [] } = judged.get(manager) ?? {};
      if (!isOnScale(compared[place] ?? 0, scales[place] ?? null)) continue;
      found.set(manager, [...(found.get(manager) ?? []), names.securities.textOf(security)]);
    }
  }
  return found;
}
