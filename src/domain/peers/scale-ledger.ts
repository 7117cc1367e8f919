import { compare } from '../compare.ts';
import { groupBy } from '../group.ts';
import type { Accession, Cik, Cusip } from '../ids.ts';
import { tallyPrice } from '../report/scale.ts';
import { MIN_PRICE_FILERS } from '../report/thresholds.ts';
import type { FiledPosition, FiledReport, FiledSecurity } from './filed-security.ts';
import {
  type FiledScales,
  medianOf,
  medianOfOthers,
  medianWithout,
  type Quote,
  type Quotes,
} from './price.ts';
import {
  addCompared,
  decideScale,
  emptySample,
  isDoubtful,
  isOnScale,
  type ScaleSample,
} from './scale-vote.ts';
import { OUTLIER_BAND } from './thresholds.ts';
import type { FilingScale } from './verdict.ts';

/** A security's quotes at the quarter end and at the ends before and after it; the last are rarely needed. */
type QuotesAround = { readonly prior: Quotes; readonly current: Quotes; readonly next: () => Quotes };

/** Collects the prices in each filing of the quarter, and judges them when all are there. */
export function scaleLedger(reports: readonly FiledReport[], scales: FiledScales) {
  const samples: ScaleSample[] = [];
  const numbers = new Map<Accession, number>();
  for (const { accession } of reports.flatMap(({ filings }) => filings)) {
    const datedCents = scales.get(accession);
    if (datedCents === undefined || numbers.has(accession)) continue;
    numbers.set(accession, samples.push(emptySample(accession, datedCents)) - 1);
  }
  const sampleOf = (accession: Accession) => samples[numbers.get(accession) ?? -1];
  const filingsOf = new Map(reports.map(({ cik, filings }) => [cik, filings]));
  const samplesOf = ({ cik, accession }: FiledPosition): ScaleSample[] =>
    (accession === null ? (filingsOf.get(cik) ?? []) : [{ accession }])
      .map((filing) => sampleOf(filing.accession))
      .filter((sample) => sample !== undefined);
  const kept: KeptQuotes[] = [];
  return {
    add: (security: FiledSecurity, quotes: QuotesAround): void => {
      countOwn(samplesOf, security);
      const known = quotes.current.all.filter(({ accession }) => numbers.has(accession));
      if (known.length > MIN_PRICE_FILERS) kept.push(keepQuotes(security.cusip, known, numbers));
      else compareElsewhere(sampleOf, quotes);
    },
    judge: () => verdictsOf(samples, kept, numbers),
  };
}

/**
 * Two passes over the quotes as filed (rule 4.3). The first compares all in the scale of their date.
 * The second uses the scales that the first one corrected. It leaves out filings whose own prices
 * contradict their scale. So filers that share a mistake do not outvote an honest one, as long as
 * others show the mistake.
 */
function verdictsOf(
  samples: readonly ScaleSample[],
  kept: readonly KeptQuotes[],
  numbers: ReadonlyMap<Accession, number>,
) {
  const first = pass(samples, kept, new Float64Array(samples.length));
  const last = pass(samples, kept, first.shifts);
  const slips = slipsOf(kept, last);
  const numberOf = (accession: Accession) => numbers.get(accession) ?? -1;
  return {
    scalesOf: ({ filings }: FiledReport): FilingScale[] =>
      filings
        .map(({ accession }) => last.scales[numberOf(accession)] ?? null)
        .filter((scale) => scale !== null)
        .sort((a, b) => compare(a.accession, b.accession)),
    outliersOf: ({ filings }: FiledReport): Cusip[] =>
      filings
        .flatMap(({ accession }) => slips.get(numberOf(accession)) ?? [])
        .map(({ cusip }) => cusip)
        .sort(),
  };
}

function countOwn(samplesOf: (of: FiledPosition) => ScaleSample[], { current }: FiledSecurity): void {
  for (const position of current) {
    // A filing's own price needs no CUSIP, so a mistyped one counts too.
    if (position.valueCents <= 0n) continue;
    for (const sample of samplesOf(position)) {
      const isSum = position.accession === null;
      if (!isSum) sample.totalCents += position.valueCents;
      tallyPrice(isSum ? sample.summed : sample.own, position, sample.datedCents);
    }
  }
}

/**
 * Without enough other holders, their price of the quarter before or after decides the scale. A scale is
 * off by a thousand or right. No confirmed split can lie between: its voters hold the security at both
 * ends, so there is a price. A slip is judged by the price of the same day only.
 */
function compareElsewhere(
  sampleOf: (accession: Accession) => ScaleSample | undefined,
  { prior, current, next }: QuotesAround,
): void {
  let later: Quotes | null = null;
  const elsewhere = (cik: Cik) => {
    const before = medianOfOthers(prior, cik);
    if (before !== null) return before;
    later ??= next();
    return medianOfOthers(later, cik);
  };
  for (const { position, accession, log } of current.all) {
    const sample = sampleOf(accession);
    if (sample === undefined) continue;
    const price = elsewhere(position.cik);
    if (price !== null) addCompared(sample, log - price, position.valueCents);
  }
}

/** By the number of the filing. */
type Pass = ReturnType<typeof pass>;

function pass(collected: readonly ScaleSample[], kept: readonly KeptQuotes[], before: Float64Array) {
  const samples = collected.map((one) => ({ ...one, logs: [...one.logs], thin: [...one.thin] }));
  for (const quotes of kept) {
    compareAll(quotes, before, ({ filing, log, price, valueCents }) => {
      addCompared(samples[filing] as ScaleSample, log - price, valueCents);
    });
  }
  /** Null where the scale is simply that of the date. */
  const scales = samples.map(decideScale);
  /** Decimal orders by which the scale is corrected; NaN leaves the quotes of the filing out. */
  const shifts = Float64Array.from(samples, (sample, at) => shiftOf(sample, scales[at] ?? null));
  return { samples, scales, shifts };
}

function shiftOf(sample: ScaleSample, scale: FilingScale | null): number {
  if (scale === null) return 0;
  if (isDoubtful(sample, scale)) return Number.NaN;
  return Math.log10(Number(scale.scaleCents) / Number(sample.datedCents));
}

/** Rows that are slips in the scales decided last, by the number of the filing (rule 4.4). */
function slipsOf(kept: readonly KeptQuotes[], { samples, scales, shifts }: Pass) {
  const isJudged = samples.map((sample, at) => isOnScale(sample, scales[at] ?? null));
  const slips: { readonly filing: number; readonly cusip: Cusip }[] = [];
  for (const quotes of kept) {
    compareAll(quotes, shifts, ({ filing, log, price }) => {
      const ratio = log + (shifts[filing] as number) - price;
      if (isJudged[filing] && Math.abs(ratio) > OUTLIER_BAND) slips.push({ filing, cusip: quotes.cusip });
    });
  }
  return groupBy(slips, ({ filing }) => filing);
}

/** A security's quotes of one quarter end in little memory, so that those of a whole quarter fit. */
type KeptQuotes = ReturnType<typeof keepQuotes>;

function keepQuotes(cusip: Cusip, all: readonly Quote[], numbers: ReadonlyMap<Accession, number>) {
  return {
    cusip,
    /** Decimal logarithms of cents per share, in the scale of the filing's date. */
    logs: Float64Array.from(all, ({ log }) => log),
    valueCents: Float64Array.from(all, ({ position }) => Number(position.valueCents)),
    /** Numbers of the filings. */
    filings: Int32Array.from(all, ({ accession }) => numbers.get(accession) as number),
  };
}

/** One quote as filed, and the median of the others' in their corrected scales. */
type Comparison = {
  readonly filing: number;
  readonly log: number;
  readonly price: number;
  readonly valueCents: number;
};

/** Calls back for each quote that at least three others price, including a quote that is itself left out. */
function compareAll(
  { logs, valueCents, filings }: KeptQuotes,
  shifts: Float64Array,
  visit: (comparison: Comparison) => void,
): void {
  const corrected = logs.map((log, at) => log + (shifts[filings[at] as number] as number));
  const sorted = corrected.filter((log) => !Number.isNaN(log)).sort();
  const ofAll = sorted.length < MIN_PRICE_FILERS ? null : medianOf(sorted);
  corrected.forEach((own, at) => {
    const price = Number.isNaN(own) ? ofAll : medianWithout(sorted, own);
    if (price === null) return;
    visit({
      filing: filings[at] as number,
      log: logs[at] as number,
      price,
      valueCents: valueCents[at] as number,
    });
  });
}
