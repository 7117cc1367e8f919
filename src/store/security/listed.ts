import type { Db } from 'mongodb';
import { batches } from '../../domain/group.ts';
import type { Cusip, QuarterEnd } from '../../domain/ids.ts';
import { nextQuarterEnd, previousQuarterEnd } from '../../domain/quarter.ts';
import { type ListedSecurity, needsList, type SecurityList } from '../../domain/security/listed.ts';
import { type ReportKey, reportId } from '../filing/filings.ts';
import { findAmong } from '../mongo/lists.ts';
import { insertNew } from '../mongo/write.ts';

/** A CUSIP on one quarter's official list; the id is `<cusip>|<quarter end>`. */
type ListedDoc = ListedSecurity & { _id: string; quarterEnd: QuarterEnd };

/** A report with a CUSIP that only a list can judge: it is folded again when a list has it. */
type ListLookupDoc = { _id: string; cusip: Cusip; report: string };

const BATCH = 2_000;

const listedIn = (db: Db) => db.collection<ListedDoc>('listed_securities');

const lookupsIn = (db: Db) => db.collection<ListLookupDoc>('list_lookups');

/**
 * Stores a list and returns the ids of the reports that looked one of its CUSIPs up before. The same
 * list again changes nothing. A CUSIP that is listed twice, as the option classes of a trust's funds are,
 * is stored once; a security wins over an option class.
 */
export async function saveSecurityList(db: Db, list: SecurityList): Promise<string[]> {
  const docs = docsOf(list);
  for (const batch of batches(docs, BATCH)) await insertNew(listedIn(db), batch);
  return reportsThatLookedUp(db, new Set(docs.map(({ cusip }) => cusip)));
}

/**
 * True for a list of less than half of what a list of the quarter before or after has: it was cut. The
 * text edition says no total, so the file itself does not show it. Not known where neither is stored.
 */
export async function isCutShort(db: Db, list: SecurityList): Promise<boolean> {
  const neighbours = [previousQuarterEnd(list.quarterEnd), nextQuarterEnd(list.quarterEnd)];
  const counts = await Promise.all(
    neighbours.map((quarterEnd) => listedIn(db).countDocuments({ quarterEnd })),
  );
  return docsOf(list).length * 2 < Math.max(...counts.map(Number));
}

function docsOf({ quarterEnd, rows }: SecurityList): ListedDoc[] {
  const docs = new Map<Cusip, ListedDoc>();
  for (const row of rows) {
    const known = docs.get(row.cusip);
    if (known !== undefined && (known.kind === 'security' || row.kind !== 'security')) continue;
    docs.set(row.cusip, { _id: `${row.cusip}|${quarterEnd}`, ...row, quarterEnd });
  }
  return [...docs.values()];
}

/** Reads all that was asked once: less than a look-up of each CUSIP of a list. */
async function reportsThatLookedUp(db: Db, cusips: ReadonlySet<Cusip>): Promise<string[]> {
  const reports = new Set<string>();
  for await (const { cusip, report } of lookupsIn(db).find()) if (cusips.has(cusip)) reports.add(report);
  return [...reports].sort();
}

/**
 * Asks the lists on behalf of a report. The asking is noted first: a list that comes between answers
 * the note, so either this look-up or the list's import sees the other, and the report is right in
 * the end whatever came first. Only CUSIPs that a list could judge are asked for: mostly none.
 */
export async function listedFactsFor(db: Db, key: ReportKey, cusips: Iterable<Cusip>) {
  const doubtful = [...new Set(cusips)].filter(needsList);
  const report = reportId(key);
  const lookups = doubtful.map((cusip) => ({ _id: `${cusip}|${report}`, cusip, report }));
  await insertNew(lookupsIn(db), lookups);
  const docs = await find(db, doubtful);
  const classes = docs.filter(({ kind }) => kind !== 'security');
  const securities = docs.filter(({ kind }) => kind === 'security');
  return {
    optionClasses: new Map<Cusip, 'PUT' | 'CALL'>(
      classes.map(({ cusip, kind }) => [cusip, kind === 'call' ? 'CALL' : 'PUT']),
    ),
    /** Securities although their check digit is wrong. */
    listed: new Set(securities.map(({ cusip }) => cusip)),
  };
}

/** What the lists of all quarters call the issuers of securities, each name once. */
export async function listedNamesOf(db: Db, cusips: readonly Cusip[]) {
  const names = new Map<Cusip, readonly string[]>();
  const docs = await findAmong(listedIn(db), {
    field: 'cusip',
    values: cusips,
    where: { kind: 'security' },
    projection: { cusip: 1, issuer: 1 },
  });
  for (const { cusip, issuer } of docs) {
    names.set(cusip, [...new Set([...(names.get(cusip) ?? []), issuer])].sort());
  }
  return names;
}

/** As the newest list has each; in no order. */
async function find(db: Db, cusips: readonly Cusip[]): Promise<ListedDoc[]> {
  const newest = new Map<Cusip, ListedDoc>();
  for (const doc of await findAmong(listedIn(db), { field: 'cusip', values: cusips })) {
    if (doc.quarterEnd >= (newest.get(doc.cusip)?.quarterEnd ?? '')) newest.set(doc.cusip, doc);
  }
  return [...newest.values()];
}
