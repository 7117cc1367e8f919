/** Columns of text as wide as their widest cell, so far as the page is wide enough. */
export type Column = { readonly title: string; readonly isNumber?: boolean };

/** A terminal of this many columns shows every line whole. */
export const PAGE_COLUMNS = 100;
const GAP = '  ';

/** Lines of an aligned table; the widest column of text gives way, with an ellipsis, when it is too wide. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const spare = PAGE_COLUMNS - GAP.length * columns.length;
  const texts = columns.flatMap(({ isNumber }, at) => (isNumber ? [] : [at]));
  while (sum(widths) > spare && texts.length > 0) {
    const widest = texts.reduce((best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  const line = (cells: readonly string[]): string =>
    `${GAP}${columns.map(({ isNumber }, at) => fitted(cells[at] ?? '', widths[at] ?? 0, isNumber)).join(GAP)}`.trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

function fitted(cell: string, width: number, isNumber = false): string {
  const cut = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
  return isNumber ? cut.padStart(width) : cut.padEnd(width);
}

function sum(widths: readonly number[]): number {
  return widths.reduce((all, width) => all + width, 0);
}

/** Cents as dollars, thousands parted: `$1,234.50`, and `-$3.00`. */
export function dollars(cents: string | bigint): string {
  const amount = BigInt(cents);
  const size = amount < 0n ? -amount : amount;
  const whole = parted((size / 100n).toString());
  const rest = size % 100n === 0n ? '' : `.${(size % 100n).toString().padStart(2, '0')}`;
  return `${amount < 0n ? '-' : ''}$${whole}${rest}`;
}

export function parted(digits: string | number): string {
  return String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
