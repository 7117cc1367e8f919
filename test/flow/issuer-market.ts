import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { form4, reportingOwner } from '../../src/domain/brief/brief.sample.ts';
import type { Ownership, OwnershipRow } from '../../src/domain/filing/filing.ts';
import type { IsoDate } from '../../src/domain/ids.ts';

/** The last two are implausible: their rows are placed by the period of report. */
const DAYS = [...Array.from({ length: 9 }, (_, at) => `2020-03-0${at + 1}`), '2021-01-01', '1919-03-03'];
const FILED = ['2020-03-09', '2020-03-10', '2020-03-12', '2020-07-01'];

/** Numbers that follow from the seed, below `most`. */
export function random(seed: string): (most: number) => number {
  let turn = 0;
  return (most) => {
    turn += 1;
    return createHash('sha256').update(`${seed}|${turn}`).digest().readUInt32BE(0) % most;
  };
}

export type Draw = ReturnType<typeof random>;

export const pick = <T>(draw: Draw, all: readonly T[]): T => all[draw(all.length)] as T;

function rowIn(draw: Draw): Partial<OwnershipRow> {
  const code = pick(draw, ['P', 'P', 'S', 'M', 'A']);
  return {
    table: pick(draw, ['non_derivative', 'non_derivative', 'derivative']),
    securityTitle: pick(draw, ['Common Stock', 'Class B Common Stock']),
    transactionDate: draw(40) === 0 ? null : (pick(draw, DAYS) as IsoDate),
    code,
    acquiredDisposed: code === 'S' ? 'D' : 'A',
    shares: pick(draw, ['100', '100.004', '150']),
    pricePerShare: pick(draw, ['10', '10.004', '11', null]),
    sharesOwnedAfter: pick(draw, ['1000', '1100', null]),
  };
}

/** A small market, so that forms restate, repeat and join each other all the time. */
export function formIn(draw: Draw, number: number): Ownership {
  const isAmendment = draw(3) === 0;
  const owners = [reportingOwner(1 + draw(4)), ...(draw(4) === 0 ? [reportingOwner(5)] : [])];
  return form4({
    number,
    isAmendment,
    filed: pick(draw, FILED),
    periodOfReport: pick(draw, DAYS) as IsoDate,
    dateOfOriginalSubmission: isAmendment && draw(2) === 0 ? (pick(draw, FILED) as IsoDate) : null,
    schemaVersion: draw(4) === 0 ? null : 'X0306',
    owners,
    rows: Array.from({ length: 1 + draw(3) }, () => rowIn(draw)),
  });
}

/** The same database, whose rows are written by so many commands whole, and by half of the next, which breaks. */
export function breaking(db: Db, commands: number): Db {
  let begun = 0;
  const collection = (name: string) => {
    const rows = db.collection(name);
    if (name !== 'trades') return rows;
    const write = rows.bulkWrite.bind(rows);
    rows.bulkWrite = async (operations, options) => {
      begun += 1;
      if (begun <= commands) return write(operations, options);
      const half = operations.slice(0, Math.floor(operations.length / 2));
      if (half.length > 0) await write(half, options).catch(() => undefined);
      throw new Error('broken on purpose');
    };
    return rows;
  };
  return { collection, databaseName: db.databaseName } as unknown as Db;
}

export function orBroken(error: unknown): void {
  if (!(error instanceof Error) || error.message !== 'broken on purpose') throw error;
}
