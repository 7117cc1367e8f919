import type { Db } from 'mongodb';
import { groupBy } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import { options } from '../../store/report/options.ts';
import { positions } from '../../store/report/positions.ts';
import { type QuarterReport, quarterReports } from '../../store/report/quarter-reports.ts';
import { reportsOfQuarter } from '../../store/report/reports.ts';
import type { Sliced, SlicedRows } from '../../store/report/slices.ts';
import type { Shown } from './among.ts';
import { type Asked, readAmong, readShown } from './shown.ts';

/** Fewer rows cost less to read than to remember. */
const WIDE_ROWS = 500;

/** About a kilobyte each: three securities of 6,000 holders, with the versions of 8,500 reports. */
const REMEMBERED_ROWS = 24_000;

/** So many versions take the memory of a row. */
const VERSIONS_A_ROW = 5;

/** When more than this part of a quarter's reports changed, all rows are read again. */
const MANY_CHANGED = 1 / 4;

/** What was read of a security last, by manager, and the version of every report of the quarter then. */
type Remembered<Row> = {
  readonly seen: ReadonlyMap<Cik, string>;
  readonly shown: ReadonlyMap<Cik, readonly Shown<Sliced<Row>>[]>;
};

const NOTHING = { seen: new Map<Cik, string>(), shown: new Map<Cik, never>() };

/**
 * {@link readShown}, which remembers the rows of widely held securities: after one report changed, only its
 * own are read again. What a report shows under one version and digest never changes, so each row that is
 * remembered is the one that would be read, and whatever is computed of them is computed of all. A security
 * is remembered from the second read on: most are read once.
 */
export function shownMemory<Row>(rows: SlicedRows<Row>, wide = WIDE_ROWS) {
  /** Of each database, the least recently used first. */
  const memories = new WeakMap<Db, Map<string, Remembered<Row>>>();
  return async (db: Db, asked: Asked): Promise<readonly Shown<Sliced<Row>>[]> => {
    const memory = memories.get(db) ?? new Map<string, Remembered<Row>>();
    memories.set(db, memory);
    const key = [asked.quarterEnd, ...asked.cusips].join('|');
    const last = memory.get(key);
    if (last === undefined) {
      const read = await readShown(db, rows, asked);
      if (read.length >= wide) remember(memory, key, NOTHING);
      return read;
    }
    const next = await refreshed(db, rows, { ...asked, last });
    const all = [...next.shown.values()].flat();
    if (all.length >= wide) remember(memory, key, next);
    else memory.delete(key);
    return all;
  };
}

type Refreshing<Row> = Asked & { readonly last: Remembered<Row> };

async function refreshed<Row>(
  db: Db,
  rows: SlicedRows<Row>,
  { cusips, quarterEnd, last }: Refreshing<Row>,
): Promise<Remembered<Row>> {
  // Read before the rows and their reports: none is older than the version that it is remembered under, and no
  // version comes back. So reports that the caller has read already do not count.
  const seen = await versionsShown(db, quarterEnd);
  const changed = [...seen.keys()].filter((cik) => seen.get(cik) !== last.seen.get(cik));
  const isAnew = changed.length > MANY_CHANGED * seen.size;
  const read = isAnew
    ? await readShown(db, rows, { cusips, quarterEnd })
    : await readAmong(db, rows, { cusips, reports: await reportsOfQuarter(db, quarterEnd, changed) });
  const isStill = ([cik]: readonly [Cik, unknown]): boolean =>
    seen.has(cik) && seen.get(cik) === last.seen.get(cik);
  const still = isAnew ? [] : [...last.shown].filter(isStill);
  return { seen, shown: new Map([...still, ...groupBy(read, ({ position }) => position.cik)]) };
}

type Versions = ReadonlyMap<Cik, string>;

const versions = new WeakMap<readonly QuarterReport[], Versions>();

/** What changes with everything that a report of the quarter shows, by manager: once for all securities. */
async function versionsShown(db: Db, quarterEnd: QuarterEnd): Promise<Versions> {
  const reports = await quarterReports(db, quarterEnd);
  const own =
    versions.get(reports) ??
    new Map(reports.map(({ cik, version, digest }) => [cik, `${version}|${digest}`]));
  versions.set(reports, own);
  return own;
}

function remember<Row>(memory: Map<string, Remembered<Row>>, key: string, one: Remembered<Row>): void {
  memory.delete(key);
  memory.set(key, one);
  let size = [...memory.values()].reduce((sum, own) => sum + rowsIn(own), 0);
  for (const [oldest, own] of memory) {
    if (size <= REMEMBERED_ROWS) return;
    memory.delete(oldest);
    size -= rowsIn(own);
  }
}

function rowsIn<Row>({ seen, shown }: Remembered<Row>): number {
  return shown.size + seen.size / VERSIONS_A_ROW;
}

const memory = { positions: shownMemory(positions), options: shownMemory(options) };

/** The changes of a security in a quarter, each under the digest that its report shows. */
export function shownIn(db: Db, cusips: readonly Cusip[], quarterEnd: QuarterEnd): Promise<readonly Shown[]> {
  return memory.positions(db, { cusips, quarterEnd });
}

/** The same of options on it. */
export const optionsIn = memory.options;
