import type { IsoDate, QuarterEnd } from '../../domain/ids.ts';

/** The part of the store that an audit looks at. */
export type AuditScope = {
  /** Null before the first ingestion has finished: then no position is looked at. */
  readonly asOf: IsoDate | null;
  /** Only reports of this quarter, and trades placed in it; null for all. */
  readonly quarterEnd: QuarterEnd | null;
  /** The quarter whose positions are read: the one asked for, else the latest reported one. */
  readonly positionsOf: QuarterEnd | null;
  /** Rows of a section. */
  readonly limit: number;
};

/** A part of the page: a sentence with the totals, and the worst rows. The keys of a row are its columns. */
export type Section = {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly Readonly<Record<string, string | number | boolean | null>>[];
};

/** Cents as dollars: `1234.5`. */
export function usd(cents: bigint): string {
  const size = cents < 0n ? -cents : cents;
  const rest = size % 100n === 0n ? '' : `.${(size % 100n).toString().padStart(2, '0')}`;
  return `${cents < 0n ? '-' : ''}${size / 100n}${rest}`;
}
