import type { Accession, Cik, Cusip } from '../ids.ts';
import { MIN_PRICE_FILERS } from '../report/implied-price.ts';
import { tallyPrice } from '../report/scale.ts';
import type { FiledPosition, FiledReport, FiledSecurity } from './filed-security.ts';
import { type FiledScales, medianOfOthers, type Quotes } from './price.ts';
import { type ScaleAnswers, scaleAnswers } from './scale-passes.ts';
import { type KeptQuotes, keepQuotes } from './scale-quotes.ts';
import { addCompared, emptySample, type ScaleSample } from './scale-vote.ts';
import type { FilingScale } from './verdict.ts';

/** A security's quotes at the quarter end and at the ends before and after it; the last are seldom needed. */
export type QuotesAround = { readonly prior: Quotes; readonly current: Quotes; readonly next: () => Quotes };

/** Collects the prices in each filing of the quarter, and judges them when all are there. */
export type ScaleLedger = {
  readonly add: (security: FiledSecurity, quotes: QuotesAround) => void;
  readonly judge: () => ScaleVerdicts;
};

export type ScaleVerdicts = {
  readonly scalesOf: (report: FiledReport) => FilingScale[];
  readonly outliersOf: (report: FiledReport) => Cusip[];
};

export function scaleLedger(reports: readonly FiledReport[], units: FiledScales): ScaleLedger {
  const samples: ScaleSample[] = [];
  const numbers = new Map<Accession, number>();
  for (const { accession } of reports.flatMap(({ filings }) => filings)) {
    const eraCents = units.get(accession);
    if (eraCents === undefined || numbers.has(accession)) continue;
    numbers.set(accession, samples.push(emptySample(accession, eraCents)) - 1);
  }
  const sampleOf = (accession: Accession) => samples[numbers.get(accession) ?? -1];
  const filingsOf = new Map(reports.map(({ cik, filings }) => [cik, filings]));
  const samplesOf = ({ cik, accession }: FiledPosition): ScaleSample[] =>
    (accession === null ? (filingsOf.get(cik) ?? []) : [{ accession }])
      .map((filing) => sampleOf(filing.accession))
      .filter((sample) => sample !== undefined);
  const kept: KeptQuotes[] = [];
  return {
    add: (security, quotes) => {
      countOwn(samplesOf, security);
      const known = quotes.current.all.filter(({ accession }) => numbers.has(accession));
      if (known.length > MIN_PRICE_FILERS) {
        kept.push(keepQuotes(security.cusip, known, (accession) => numbers.get(accession) as number));
      } else compareElsewhere(sampleOf, quotes);
    },
    judge: () => verdictsBy(scaleAnswers(samples, kept), (accession) => numbers.get(accession) ?? -1),
  };
}

function verdictsBy(answers: ScaleAnswers, numberOf: (accession: Accession) => number): ScaleVerdicts {
  return {
    scalesOf: ({ filings }) =>
      filings
        .map(({ accession }) => answers.scales[numberOf(accession)] ?? null)
        .filter((scale) => scale !== null)
        .sort((a, b) => (a.accession < b.accession ? -1 : 1)),
    outliersOf: ({ filings }) =>
      filings.flatMap(({ accession }) => answers.outliers.get(numberOf(accession)) ?? []).sort(),
  };
}

type SampleOf = (accession: Accession) => ScaleSample | undefined;

function countOwn(samplesOf: (of: FiledPosition) => ScaleSample[], { current }: FiledSecurity): void {
  for (const position of current) {
    // A price of its own takes no CUSIP that can be right, so a mistyped one counts too.
    if (position.valueCents <= 0n) continue;
    for (const sample of samplesOf(position)) {
      const isSum = position.accession === null;
      if (!isSum) sample.totalCents += position.valueCents;
      tallyPrice(isSum ? sample.summed : sample.own, position, sample.eraCents);
    }
  }
}

/**
 * Where too few others hold the security, their price of the quarter before or after serves for the
 * unit, which is off by a thousand or not at all. No confirmed split can lie between: its voters
 * hold the security at both ends, so there is a price. A slip is judged by the same day's price only.
 */
function compareElsewhere(sampleOf: SampleOf, quotes: QuotesAround): void {
  for (const { position, accession, log } of quotes.current.all) {
    const sample = sampleOf(accession);
    if (sample === undefined) continue;
    const price = elsewhere(position.cik, quotes);
    if (price !== null) addCompared(sample, log - price, position.valueCents);
  }
}

function elsewhere(cik: Cik, { prior, next }: QuotesAround): number | null {
  return medianOfOthers(prior, cik) ?? medianOfOthers(next(), cik);
}
