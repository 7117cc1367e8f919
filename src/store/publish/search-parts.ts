import type { Cik, Cusip } from '../../domain/ids.ts';
import { bucketName, bucketOf, POSITION_BUCKETS } from '../report/positions.ts';

/**
 * The search index is in parts, each one document: funds and their managers by CIK (`f0` to `ff`),
 * securities by the buckets of their positions (`h0` to `hf`). A part is small enough to be written
 * as a whole when one entry changes, and the parts are few enough to be looked at for every change.
 * Readers keep the parts in memory.
 */
const PARTS_OF_A_KIND = 16;

const digits = Array.from({ length: PARTS_OF_A_KIND }, (_, n) => n.toString(16));
export const SECURITY_PARTS: readonly string[] = digits.map((digit) => `h${digit}`);
export const SEARCH_PARTS: readonly string[] = [...digits.map((digit) => `f${digit}`), ...SECURITY_PARTS];

const BUCKETS_PER_PART = POSITION_BUCKETS / PARTS_OF_A_KIND;

export function isSecurityPart(part: string): boolean {
  return part.startsWith('h');
}

export function partOfFund(cik: Cik): string {
  return `f${(Number(cik) % PARTS_OF_A_KIND).toString(16)}`;
}

export function partOfSecurity(cusip: Cusip): string {
  return `h${Math.floor(Number.parseInt(bucketOf(cusip), 16) / BUCKETS_PER_PART).toString(16)}`;
}

/** The buckets of positions whose securities are in the part. */
export function bucketsOfPart(part: string): string[] {
  const first = Number.parseInt(part.slice(1), 16) * BUCKETS_PER_PART;
  return Array.from({ length: BUCKETS_PER_PART }, (_, n) => bucketName(first + n));
}
