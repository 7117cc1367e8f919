import { grouped } from '../../domain/brief/words/numbers.ts';

/** A column of a table: its title, and its text for a row. */
type Column<Row> = {
  readonly title: string;
  readonly isNumber: boolean;
  readonly cell: (row: Row) => string;
};

/** A terminal of this many columns shows every line whole. */
const PAGE_COLUMNS = 100;
const GAP = '  ';

export function text<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, isNumber: false, cell };
}

export function number<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, isNumber: true, cell };
}

/**
 * Lines of an aligned table; none for no rows. The widest text column is shortened, with an ellipsis,
 * when the table is wider than the page.
 */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] {
  if (rows.length === 0) return [];
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => cell(row))),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => (cells[at] ?? '').length)));
  const spare = PAGE_COLUMNS - GAP.length * columns.length;
  const texts = columns.flatMap(({ isNumber }, at) => (isNumber ? [] : [at]));
  while (widths.reduce((sum, width) => sum + width, 0) > spare && texts.length > 0) {
    const widest = texts.reduce((best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return lines.map((cells) => {
    const padded = columns.map(({ isNumber }, at) => fitted(cells[at] ?? '', widths[at] ?? 0, isNumber));
    return `${GAP}${padded.join(GAP)}`.trimEnd();
  });
}

function fitted(cell: string, width: number, isNumber: boolean): string {
  const cut = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
  return isNumber ? cut.padStart(width) : cut.padEnd(width);
}

/**
 * A part of the page: its title, the sentence that explains it, and the lines of its table. Text for a
 * terminal of {@link PAGE_COLUMNS} columns.
 */
export function section(title: string, about: string, lines: readonly string[]): string[] {
  return ['', title, ...wrapped(about), ...lines];
}

export function wrapped(sentence: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length > PAGE_COLUMNS && line !== '') {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Cents as dollars with thousands separators: `$1,234.50`, and `-$3.00`. */
export function dollars(cents: string | bigint): string {
  const amount = BigInt(cents);
  const size = amount < 0n ? -amount : amount;
  const rest = size % 100n === 0n ? '' : `.${(size % 100n).toString().padStart(2, '0')}`;
  return `${amount < 0n ? '-' : ''}$${grouped(size / 100n)}${rest}`;
}
