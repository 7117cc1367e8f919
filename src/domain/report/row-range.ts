/**
 * Row numbers as text, short however many they are: `11-21` or `3,7-9`; ascending, each once.
 * A position of a large report is the sum of many rows that stand together.
 */
export function rowRanges(rows: readonly number[]): string {
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

/** The numbers that {@link rowRanges} wrote. */
export function rowNumbers(ranges: string): number[] {
  if (ranges === '') return [];
  return ranges.split(',').flatMap((range) => {
    const [first = '', last = first] = range.split('-');
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
  });
}
