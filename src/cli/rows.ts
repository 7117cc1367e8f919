/** Rows for a person at a terminal: names of the columns, values below them, a dash for what is absent. */
export function columnLines(rows: readonly object[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const lines = [Object.keys(first), ...rows.map((row) => Object.values(row).map(shown))];
  const widths = Object.keys(first).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Rows for a program: values with tabs between them. */
export function tabLines(rows: readonly object[]): string[] {
  return rows.map((row) =>
    Object.values(row)
      .map((value) => plain(String(value)))
      .join('\t'),
  );
}

function shown(value: unknown): string {
  return value === null || value === undefined || value === '' ? '–' : plain(String(value));
}

function plain(text: string): string {
  return forTerminal(text).replaceAll('\n', '');
}

/** Without what moves a terminal's cursor, colours it or turns its text around: names are free text of filers. */
export function forTerminal(text: string): string {
  return text.replace(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu, '');
}
