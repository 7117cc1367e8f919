/** -1, 0 or 1. Text compares by UTF-16 code unit, so ISO dates compare as days. */
export function compare<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
