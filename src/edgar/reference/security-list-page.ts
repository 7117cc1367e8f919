import { quarterEndOf, type YearAndQuarter } from '../../domain/quarter.ts';
import { listedSecurity } from './security-list-text.ts';

/** A run of text on a page; the origin is the lower left corner, in points. */
type TextRun = { readonly x: number; readonly y: number; readonly text: string };

/** Runs of one printed line differ in height by at most this. */
const LINE_POINTS = 3;
/** A column begins at most this far before its heading. */
const MARGIN_POINTS = 3;
const HEADINGS = ['CUSIP NO', 'ISSUER NAME', 'ISSUER DESCRIPTION', 'STATUS'] as const;

/** Reads one page of the printed edition by its column headings; a page without them has no rows. */
export function readListPage(runs: readonly TextRun[]) {
  const lines = linesOf(runs);
  const whole = lines.map((line) => line.map(({ text }) => text).join(' '));
  const edges = edgesOf(runs);
  const head = /Year:\s*(\d{4})\s*Qtr:\s*([1-4])/.exec(whole.join('\n'));
  const total = /Total Count:\s*([\d,]+)/.exec(whole.join('\n'))?.[1] ?? null;
  return {
    rows: edges === null ? [] : lines.map((line) => rowOf(line, edges)).filter((row) => row !== null),
    /** From the head of the page. */
    quarterEnd:
      head === null ? null : quarterEndOf(Number(head[1]), Number(head[2]) as YearAndQuarter['quarter']),
    /** The number of rows that the last page states. */
    total: total === null ? null : Number(total.replaceAll(',', '')),
  };
}

type Edges = readonly [cusip: number, issuer: number, description: number, status: number];

function edgesOf(runs: readonly TextRun[]): Edges | null {
  const starts = HEADINGS.map((heading) => runs.find(({ text }) => text.trim() === heading)?.x ?? Number.NaN);
  const [cusip = 0, issuer = 0, description = 0, status = 0] = starts.map((start) => start - MARGIN_POINTS);
  return starts.some(Number.isNaN) ? null : [cusip, issuer, description, status];
}

function rowOf(line: readonly TextRun[], [cusipX, issuerX, descriptionX, statusX]: Edges) {
  const between = (from: number, to: number): string =>
    line
      .filter(({ x }) => x >= from && x < to)
      .map(({ text }) => text.trim())
      .join(' ');
  const printed = between(cusipX, issuerX).replace(/\s/g, '');
  return listedSecurity(/^([0-9A-Z]{9})(\*?)$/.exec(printed), {
    issuer: between(issuerX, descriptionX),
    description: between(descriptionX, statusX),
    status: between(statusX, Number.POSITIVE_INFINITY),
  });
}

/** Lines from the top of the page down, each from left to right. */
function linesOf(runs: readonly TextRun[]): readonly (readonly TextRun[])[] {
  const lines: TextRun[][] = [];
  for (const run of runs.filter(({ text }) => text.trim() !== '').sort((a, b) => b.y - a.y)) {
    const line = lines.at(-1);
    const top = line?.[0]?.y;
    if (line !== undefined && top !== undefined && top - run.y <= LINE_POINTS) line.push(run);
    else lines.push([run]);
  }
  for (const line of lines) line.sort((a, b) => a.x - b.x);
  return lines;
}
