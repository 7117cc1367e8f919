/** New shares for each old one, as a ratio: 4 to 1, or 1 to 8 for a reverse split. */
export type SplitFactor = { readonly numerator: bigint; readonly denominator: bigint };

export const ONE_FOR_ONE: SplitFactor = { numerator: 1n, denominator: 1n };

export function isOneForOne({ numerator, denominator }: SplitFactor): boolean {
  return numerator === denominator;
}
