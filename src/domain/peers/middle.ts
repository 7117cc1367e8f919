import { MIN_PRICE_FILERS } from '../report/thresholds.ts';

/**
 * What the median of a security's prices without any one of them follows from: how many there are, and the
 * three in the middle, in ascending order. Some tens of bytes of a security in place of eight of each row.
 */
export type Middles = ReturnType<typeof middles>;

const [COUNT, BELOW, MIDDLE, ABOVE, FIELDS] = [0, 1, 2, 3, 4];

/** By the numbers of securities. */
export function middles() {
  let fields = new Float64Array(0);
  return {
    reserve(securities: number): void {
      if (securities * FIELDS <= fields.length) return;
      const wider = new Float64Array(securities * FIELDS);
      wider.set(fields);
      fields = wider;
    },
    /** The middle of one security, which later changes do not reach. */
    of: (security: number): Float64Array => fields.slice(security * FIELDS, (security + 1) * FIELDS),
    put: (security: number, middle: Float64Array): void => fields.set(middle, security * FIELDS),
    /** {@link priceWithout} of a security. */
    priceWithout: (security: number, own: number): number => priceAt(fields, security * FIELDS, own),
  };
}

/** @param logs of the prices; NaN for those that do not count */
export function middleOf(logs: Float64Array): Float64Array {
  const sorted = logs.filter((log) => !Number.isNaN(log)).sort();
  const middle = Math.floor((sorted.length - 1) / 2);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  return Float64Array.of(sorted.length, at(middle - 1), at(middle), at(middle + 1));
}

/** The median of the others' prices, or of all for a price that does not count itself (NaN); NaN of too few. */
export function priceWithout(middle: Float64Array, own: number): number {
  return priceAt(middle, 0, own);
}

function priceAt(fields: Float64Array, from: number, own: number): number {
  const isCounted = !Number.isNaN(own);
  const count = fields[from + COUNT] as number;
  const others = isCounted ? count - 1 : count;
  if (others < MIN_PRICE_FILERS) return Number.NaN;
  const [below, middle, above] = [
    fields[from + BELOW] as number,
    fields[from + MIDDLE] as number,
    fields[from + ABOVE] as number,
  ];
  if (!isCounted) return count % 2 === 1 ? middle : (middle + above) / 2;
  // What is smaller than the price that is left out keeps its place.
  const upper = middle < own ? middle : above;
  return others % 2 === 1 ? upper : ((below < own ? below : middle) + upper) / 2;
}
