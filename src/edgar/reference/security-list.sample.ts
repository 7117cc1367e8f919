/** Rows in the columns of the SEC's text edition. */
export function listLine(
  cusip: string,
  [issuer, description]: readonly [string, string],
  { mark = ' ', status = '' }: { readonly mark?: string; readonly status?: string } = {},
): string {
  const columns = `${cusip}${mark}${issuer.padEnd(30)}${description.padEnd(27)}${status.padEnd(3)}`;
  return `${columns}${' '.repeat(9)}E`;
}

export type PrintedRow = readonly [
  cusip: string,
  mark: string,
  issuer: string,
  description: string,
  status?: string,
];

/**
 * A made-up PDF in the shape of the printed edition: the CUSIP in three parts, columns under their
 * headings, the total on the last page. `total` and `quarter` may be wrong on purpose.
 */
export function listPdf(
  pages: readonly (readonly PrintedRow[])[],
  { total, quarter = '2018 Qtr: 3' }: { readonly total: string; readonly quarter?: string },
): Buffer {
  const contents = pages.map((rows, index) =>
    pageContent(rows, quarter, index === pages.length - 1 ? total : ''),
  );
  const kids = contents.map((_, index) => `${4 + index * 2} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>',
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  return pdfOf(objects);
}

function pageContent(rows: readonly PrintedRow[], quarter: string, total: string): string {
  const heads: [number, number, string][] = [
    [73, 665, 'CUSIP NO'],
    [167, 665, 'ISSUER NAME'],
    [350, 665, 'ISSUER DESCRIPTION'],
    [467, 665, 'STATUS'],
    [265, 690, `Year: ${quarter}`],
  ];
  const printed = rows.flatMap(([cusip, mark, issuer, description, status = ''], index) => {
    const y = 648 - index * 17;
    const parts: [number, number, string][] = [
      [73, y, cusip.slice(0, 6)],
      [116, y, cusip.slice(6, 8)],
      [135, y, cusip.slice(8)],
      [150, y, mark],
      [168, y, issuer],
      [351, y, description],
      [468, y, status],
    ];
    return parts;
  });
  const foot: [number, number, string][] = total === '' ? [] : [[73, 60, `Total Count: ${total}`]];
  return [...heads, ...printed, ...foot]
    .filter(([, , text]) => text !== '')
    .map(([x, y, text]) => `BT /F1 10 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET`)
    .join('\n');
}

function pdfOf(objects: readonly string[]): Buffer {
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return String(offset).padStart(10, '0');
  });
  const table = offsets.map((offset) => `${offset} 00000 n \n`).join('');
  const start = body.length;
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  );
}
