/**
 * Row numbers as short text, ascending, each once: `11-21` or `3,7-9`. In a large report a position sums
 * many adjacent rows.
 */
export function rowRanges(rows: readonly number[]): string {
  // Most positions are of one row.
  if (rows.length === 1) return `${rows[0]}`;
  const sorted = [...new Set(rows)].sort((a, b) => a - b);
  const ranges: string[] = [];
  let start = 0;
  for (let index = 1; index <= sorted.length; index += 1) {
    if (index < sorted.length && sorted[index] === (sorted[index - 1] ?? 0) + 1) continue;
    const [first, last] = [sorted[start], sorted[index - 1]];
    ranges.push(first === last ? `${first}` : `${first}-${last}`);
    start = index;
  }
  return ranges.join(',');
}

/** The numbers in a text from {@link rowRanges}. */
export function rowNumbers(ranges: string): number[] {
  const numbers: number[] = [];
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [first = '', last = first] = range.split('-');
    for (let row = Number(first); row <= Number(last); row += 1) numbers.push(row);
  }
  return numbers;
}
