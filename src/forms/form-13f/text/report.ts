import type { FilingHeader } from '../../../domain/filing/filing.ts';
import { parseQuarterEnd } from '../../../domain/quarter.ts';
import { ParseError } from '../../parse-error.ts';
import type { Submission } from '../../sgml.ts';
import type { Cover } from '../cover.ts';
import { readTextCover } from './cover.ts';
import { noRows, requireOrder } from './heading.ts';
import { irregular, linesOf } from './lines.ts';
import { markOddPrices } from './price.ts';
import { rowsOf } from './rows.ts';
import { readTextTable } from './table.ts';
import { verdictOf } from './verdict.ts';

/**
 * A report as EDGAR accepted it until May 2013: cover, summary and table as text in columns. Every figure
 * is read from a position that the table itself shows. Throws `text_information_table` with the line for
 * an irregular table: a wrong number is worse than none. A notice has no table and no confidence.
 */
export function readTextReport({ header, documents }: Submission) {
  const lines = linesOf(documents);
  const stated = readTextCover(lines);
  const { reportType } = stated;
  if (reportType === null) throw irregular('the cover page does not state the type of report');
  const cover: Cover = { ...stated, reportType, quarterEnd: stated.quarterEnd ?? periodOf(header) };
  if (reportType === 'notice') return { cover, rows: [], textConfidence: null };
  const table = readTextTable(lines);
  if (table.rows.length === 0 && cover.declaredEntryTotal !== 0) throw noRows(lines);
  const rows = markOddPrices(
    rowsOf(table.rows),
    table.rows.map(({ inherits }) => inherits),
  );
  const verdict = verdictOf(rows, {
    entries: cover.declaredEntryTotal,
    value: cover.declaredValueTotal,
    tableTotal: table.total,
  });
  const [first] = table.rows;
  if (first !== undefined) requireOrder(lines, first, verdict.isProven);
  return { cover, rows, textConfidence: verdict.confidence };
}

/** The quarter of the header, used when the cover's is not readable: EDGAR asked for it separately. */
function periodOf({ periodOfReport }: FilingHeader): Cover['quarterEnd'] {
  const quarterEnd = parseQuarterEnd(periodOfReport ?? '');
  if (quarterEnd !== null) return quarterEnd;
  throw new ParseError('period_invalid', `cover and header give ${periodOfReport ?? 'none'}`);
}
