import type { Db } from 'mongodb';
import { peersQuarters } from '../derive/peers/invalidate-followers.ts';
import { listFundsOf } from '../derive/report/fund-writer.ts';
import { comparedWith } from '../derive/report/invalidate-followers.ts';
import { showReports } from '../derive/report/writer.ts';
import { noteMembers } from '../derive/search/entries.ts';
import { batches } from '../domain/group.ts';
import type { Cik, QuarterEnd } from '../domain/ids.ts';
import type { UnitResult } from '../store/filing/data-sets.ts';
import { type ReportKey, reportId } from '../store/filing/filings.ts';
import { invalidate, reserveVersions } from '../store/invalidation/invalidate.ts';
import { peersAnswers, stillSay } from '../store/peers/answers.ts';
import { noteHeld } from '../store/report/holdings.ts';
import { reportsOfFunds } from '../store/report/reports.ts';
import { NO_RESULT } from './unit.ts';
import { writtenReports } from './written.ts';

/** Managers whose entries are refreshed together: the rows of their last tables are in memory. */
const MANAGERS_TOGETHER = 32;

/**
 * Folds and compares the reports of some managers and those that are compared with them, and returns what
 * follows for the end of the import: marked by quarter, it is computed once and not once a report. The
 * reports are shown when the rows of all of them are written.
 */
export async function computeReports(db: Db, wanted: readonly ReportKey[]): Promise<UnitResult> {
  const all = [...wanted, ...(await comparedWith(db, wanted))];
  const keys = [...new Map(all.map((key) => [reportId(key), key])).values()];
  const versions = await reserveVersions(db, 'report', keys.map(reportId));
  const peers = await peersAnswers(db, new Set(keys.map(({ quarterEnd }) => quarterEnd)));
  const { written, cusips, failures } = await writtenReports(db, keys, { versions, peers });
  await showReports(db, written);
  const ciks = [...new Set(keys.map(({ cik }) => cik))];
  for (const batch of batches(ciks, MANAGERS_TOGETHER)) await listFundsOf(db, batch);
  await noteMembers(db, ciks);
  await noteHeld(db, [...cusips]);
  // Peers that changed meanwhile may not have found these reports yet: they are compared again.
  const isSaid = await stillSay(db, peers);
  const left = keys.filter(({ quarterEnd }) => !isSaid(quarterEnd));
  await invalidate(db, 'report', left.map(reportId));
  return { ...NO_RESULT, computed: keys.length, failures, followers: await followersOf(db, keys, ciks) };
}

async function followersOf(
  db: Db,
  keys: readonly ReportKey[],
  ciks: readonly Cik[],
): Promise<UnitResult['followers']> {
  const ofFund = await reportsOfFunds(db, ciks);
  const digests = new Map([...ofFund.values()].flat().map(({ _id, digest }) => [_id, digest]));
  const peers = new Set<QuarterEnd>();
  const holders = new Set<QuarterEnd>();
  for (const { cik, quarterEnd } of keys) {
    // The latest first.
    const quarters = (ofFund.get(cik) ?? []).map((report) => report.quarterEnd);
    for (const quarter of peersQuarters(quarterEnd)) peers.add(quarter);
    holders.add(quarterEnd);
    // The last report before is carried forward only while it is the last one.
    const before = quarters.find((quarter) => quarter < quarterEnd);
    if (before !== undefined) holders.add(before);
  }
  const reports = keys.map(reportId).flatMap((id) => {
    const digest = digests.get(id);
    return digest === undefined ? [] : [[id, digest] as const];
  });
  return { peers: [...peers].sort(), holders: [...holders].sort(), reports, issuers: [] };
}
