import type { Cusip } from '../ids.ts';
import { compareAll, type KeptQuotes, type Shifts } from './scale-quotes.ts';
import { addCompared, decideScale, isDoubtful, isOnScale, type ScaleSample } from './scale-vote.ts';
import type { FilingScale } from './verdict.ts';

/** Decimal orders from the other filers' price from which a single row is a slip (rule 4.4). */
export const OUTLIER_BAND = 1;

export type ScaleAnswers = {
  /** By the number of the filing; null where its unit is simply that of its date. */
  readonly scales: readonly (FilingScale | null)[];
  /** Rows that are slips in the unit decided, by the number of the filing. */
  readonly outliers: ReadonlyMap<number, readonly Cusip[]>;
};

/**
 * Two passes over the quotes as filed (rule 4.3): the first compares all with the unit
 * of their date, the second with those units that the first one corrected, and without the filings
 * whose own prices contradict the unit that it left them. So an honest filer is not outvoted by
 * filers that share a mistake, as long as others show it. Slips are rows in the units decided last.
 */
export function scaleAnswers(samples: readonly ScaleSample[], kept: readonly KeptQuotes[]): ScaleAnswers {
  const first = pass(samples, kept, new Float64Array(samples.length));
  const { compared, scales, shifts } = pass(samples, kept, first.shifts);
  const isJudged = compared.map((sample, at) => isOnScale(sample, scales[at] ?? null));
  return { scales, outliers: slipsOf(kept, { shifts, isJudged }) };
}

type Pass = {
  readonly compared: readonly ScaleSample[];
  readonly scales: readonly (FilingScale | null)[];
  readonly shifts: Shifts;
};

function pass(samples: readonly ScaleSample[], kept: readonly KeptQuotes[], before: Shifts): Pass {
  const compared = samples.map((one) => ({ ...one, logs: [...one.logs], thin: [...one.thin] }));
  for (const quotes of kept) {
    compareAll(quotes, before, ({ filing, log, price, valueCents }) => {
      addCompared(compared[filing] as ScaleSample, log - price, valueCents);
    });
  }
  const scales = compared.map(decideScale);
  const shifts = Float64Array.from(compared, (sample, at) => shiftOf(sample, scales[at] ?? null));
  return { compared, scales, shifts };
}

function shiftOf(sample: ScaleSample, scale: FilingScale | null): number {
  if (scale === null) return 0;
  if (isDoubtful(sample, scale)) return Number.NaN;
  return Math.log10(Number(scale.scaleCents) / Number(sample.eraCents));
}

type Judged = { readonly shifts: Shifts; readonly isJudged: readonly boolean[] };

function slipsOf(kept: readonly KeptQuotes[], { shifts, isJudged }: Judged): Map<number, Cusip[]> {
  const slips = new Map<number, Cusip[]>();
  for (const quotes of kept) {
    compareAll(quotes, shifts, ({ filing, log, price }) => {
      const ratio = log + (shifts[filing] as number) - price;
      if (!isJudged[filing] || Math.abs(ratio) <= OUTLIER_BAND) return;
      const own = slips.get(filing);
      if (own === undefined) slips.set(filing, [quotes.cusip]);
      else own.push(quotes.cusip);
    });
  }
  return slips;
}
