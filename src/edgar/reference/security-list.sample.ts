/** Rows in the columns of the SEC's text edition. */
export function listLine(
  cusip: string,
  [issuer, description]: readonly [string, string],
  { mark = ' ', status = '' }: { readonly mark?: string; readonly status?: string } = {},
): string {
  const columns = `${cusip}${mark}${issuer.padEnd(30)}${description.padEnd(27)}${status.padEnd(3)}`;
  return `${columns}${' '.repeat(9)}E`;
}
