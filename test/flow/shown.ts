import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { expect } from 'vitest';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import type { CorporateAction, ReportVerdict } from '../../src/domain/peers/verdict.ts';
import { currentBrief, loadBriefInput } from '../../src/read/brief/brief.ts';
import { eventsIn } from '../../src/store/filing/events.ts';
import { unpackVerdicts } from '../../src/store/peers/answers.ts';
import { peerVerdictsIn, unpackCorporateActions } from '../../src/store/peers/corporate-actions.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { boardIn } from '../../src/store/publish/leaderboard.ts';
import { type PublishedPart, readPart, SEARCH_PARTS } from '../../src/store/publish/search-index.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import { readHoldings } from '../../src/store/report/holdings.ts';
import { reportsIn } from '../../src/store/report/reports.ts';
import { tradesIn } from '../../src/store/trade/trades.ts';

/** All that a reader can see. It must not depend on the order or number of jobs. */
export type Shown = {
  /** Brief id by ticker. */
  readonly briefs: Readonly<Record<string, string>>;
  /** SHA-256 over each report's head and display rows, by report. */
  readonly reports: Readonly<Record<string, string>>;
  readonly funds: readonly object[];
  /** What is stored of each transaction row that exists, by its id. */
  readonly trades: Readonly<Record<string, string>>;
  /** The search index, by part. */
  readonly search: Readonly<Record<string, Omit<PublishedPart, 'digest'>>>;
  /** The answers of the peers by quarter: corporate actions, and verdicts by manager. */
  readonly peers: Readonly<Record<string, QuarterAnswers>>;
  /** The day of the leaderboard, and each window with its packed leaders. */
  readonly leaderboard: readonly object[];
};

export type QuarterAnswers = {
  readonly corporateActions: readonly CorporateAction[];
  readonly verdicts: Readonly<Record<string, ReportVerdict>>;
};

export async function shownIn(db: Db): Promise<Shown> {
  const tickers = await currentBriefsIn(db).find().sort({ _id: 1 }).toArray();
  const briefs: [string, string][] = [];
  for (const { _id } of tickers) {
    const { briefId } = await currentBrief(db, _id, () => new Date());
    // Whatever is stored of the holders, it is what all their positions say (rule 13.9).
    expect(buildBrief(await loadBriefInput(db, _id, '')).brief_id, _id).toBe(briefId);
    briefs.push([_id, briefId]);
  }
  const trades = await tradesIn(db)
    .find({ item: { $ne: null } })
    .sort({ _id: 1 })
    .toArray();
  const funds = await fundsIn(db).find().sort({ _id: 1 }).toArray();
  return {
    briefs: Object.fromEntries(briefs),
    reports: await reportsShown(db),
    funds,
    trades: Object.fromEntries(trades.map((trade) => [trade._id, trade.digest])),
    search: await searchShown(db),
    peers: await peersShown(db),
    leaderboard: await leaderboardShown(db),
  };
}

/** Quarters without an answer are left out: whether they were computed does not matter. */
async function peersShown(db: Db): Promise<Shown['peers']> {
  const docs = await peerVerdictsIn(db).find().sort({ _id: 1 }).toArray();
  const answers = docs.map(({ _id, corporateActions, verdicts }): [string, QuarterAnswers] => [
    _id,
    {
      corporateActions: unpackCorporateActions(corporateActions),
      verdicts: Object.fromEntries(unpackVerdicts(verdicts)),
    },
  ]);
  return Object.fromEntries(
    answers.filter(
      ([, { corporateActions, verdicts }]) => corporateActions.length + Object.keys(verdicts).length > 0,
    ),
  );
}

async function leaderboardShown(db: Db): Promise<Shown['leaderboard']> {
  // When it was computed, and for which version, no reader sees.
  const docs = boardIn(db).find({}, { projection: { at: 0, version: 0 } });
  return docs.sort({ _id: 1 }).toArray();
}

/** Parts without entries are left out: whether they were written does not matter. */
async function searchShown(db: Db): Promise<Shown['search']> {
  const parts = await Promise.all(SEARCH_PARTS.map(async (id) => [id, await readPart(db, id)] as const));
  return Object.fromEntries(
    parts.flatMap(([id, part]) =>
      part === null || part.entries.length === 0
        ? []
        : [[id, { entries: part.entries, tickers: part.tickers }]],
    ),
  );
}

async function reportsShown(db: Db): Promise<Record<string, string>> {
  const shown: Record<string, string> = {};
  for (const report of await reportsIn(db).find().sort({ _id: 1 }).toArray()) {
    // These count how often and in which order it was computed. No reader sees them.
    const { version: _version, edition: _edition, ...counted } = report;
    const { previous: _previous, followersInvalidated: _followed, evidence, ...rest } = counted;
    const head = { ...rest, evidence: evidence.map((one) => ({ ...one, retrievedAt: '' })) };
    const rows = await readHoldings(db, report, { from: 0, count: Number(report.rowTotal) });
    const text = JSON.stringify([head, rows], (_, value) =>
      typeof value === 'bigint' ? value.toString() : value,
    );
    shown[report._id] = createHash('sha256').update(text).digest('hex');
  }
  return shown;
}

/** Seq and accession of the whole stream. */
export async function streamOf(db: Db): Promise<[number, string][]> {
  const events = await eventsIn(db).find().sort({ _id: 1 }).toArray();
  return events.map((event) => [Number(event._id), event.accession]);
}
