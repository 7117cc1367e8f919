import type { Accession, Cusip } from '../ids.ts';
import { MIN_PRICE_FILERS } from '../report/implied-price.ts';
import { medianOf, medianWithout, type Quote } from './price.ts';

/** A security's quotes of one quarter end in little room, so that a whole quarter's can be kept. */
export type KeptQuotes = {
  readonly cusip: Cusip;
  /** Decimal logarithms of cents per share, with the unit of the filing's date. */
  readonly logs: Float64Array;
  readonly valueCents: Float64Array;
  /** Numbers of the filings. */
  readonly filings: Int32Array;
};

/** Decimal orders by which a filing's unit is corrected, by its number; NaN leaves its quotes out. */
export type Shifts = Float64Array;

export function keepQuotes(
  cusip: Cusip,
  all: readonly Quote[],
  numberOf: (accession: Accession) => number,
): KeptQuotes {
  return {
    cusip,
    logs: Float64Array.from(all, ({ log }) => log),
    valueCents: Float64Array.from(all, ({ position }) => Number(position.valueCents)),
    filings: Int32Array.from(all, ({ accession }) => numberOf(accession)),
  };
}

/** One quote as filed, and the median of the others' with their corrected units. */
export type Comparison = {
  readonly filing: number;
  readonly log: number;
  readonly price: number;
  readonly valueCents: number;
};

/** Calls back for each quote that at least three others price, one that is left out itself too. */
export function compareAll(
  { logs, valueCents, filings }: KeptQuotes,
  shifts: Shifts,
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
