import { AppError } from '../../errors.ts';

/** What MongoDB's integers hold; the dispatcher wraps larger ones silently. */
export const INT64_MAX = 2n ** 63n - 1n;

export function fitsInt64(amounts: readonly bigint[]): boolean {
  return amounts.every((amount) => amount <= INT64_MAX && amount >= -INT64_MAX);
}

/** Throws `value_out_of_range` (not retryable) when an amount of `what` does not fit 64 bits. */
export function requireInt64(what: string, amounts: readonly bigint[]): void {
  if (fitsInt64(amounts)) return;
  throw new AppError('value_out_of_range', `${what}: the values exceed 64 bits`);
}
