import type { Db } from 'mongodb';
import type { QuarterLine } from '../../domain/history/quarter-line.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { findByIds } from '../mongo/lists.ts';
import { UNJOURNALED } from '../mongo/write.ts';

/** A line of the position history of a security. It counts only for the basis that it was computed from. */
type QuarterLineDoc = {
  /** `<cusip>|<quarter end>` */
  _id: string;
  basis: string;
  line: QuarterLine;
};

const linesIn = (db: Db) => db.collection<QuarterLineDoc>('quarter_lines');

const idOf = (cusip: Cusip, quarterEnd: QuarterEnd): string => `${cusip}|${quarterEnd}`;

/** The lines that were computed from these bases, by quarter. */
export async function readLines(
  db: Db,
  cusip: Cusip,
  bases: ReadonlyMap<QuarterEnd, string>,
): Promise<Map<QuarterEnd, QuarterLine>> {
  const ids = [...bases.keys()].map((quarterEnd) => idOf(cusip, quarterEnd));
  const docs = await findByIds(linesIn(db), ids);
  const current = docs.filter(({ basis, line }) => bases.get(line.quarter_end) === basis);
  return new Map(current.map(({ line }) => [line.quarter_end, numbersOf(line)]));
}

/** Of several writers the last one wins. A line of another basis is computed again, never shown. */
export async function saveLine(db: Db, cusip: Cusip, basis: string, line: QuarterLine): Promise<void> {
  await linesIn(db).replaceOne(
    { _id: idOf(cusip, line.quarter_end) },
    { basis, line },
    { upsert: true, writeConcern: UNJOURNALED },
  );
}

/** Counts are stored as integers of 64 bits and read as bigint. The fields keep their order: by its text an answer is paid. */
function numbersOf(line: QuarterLine): QuarterLine {
  const numbers = Object.entries(line.counts).map(([action, count]) => [action, Number(count)]);
  return {
    ...line,
    holders: Number(line.holders),
    counts: Object.fromEntries(numbers) as QuarterLine['counts'],
  };
}
