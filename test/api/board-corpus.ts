import { JOBS } from '../../jobs/index.ts';
import { partOfReport } from '../../jobs/pending/units.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { computeCorpus } from '../../src/derive/corpus/corpus.ts';
import { sampleFiling, sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { ThirteenF } from '../../src/domain/filing/filing.ts';
import type { Cik, Cusip, QuarterEnd } from '../../src/domain/ids.ts';
import { centsOf, TEN_QUARTERS } from '../../src/domain/leaderboard/rank.sample.ts';
import { filingsIn, reportId } from '../../src/store/filing/filings.ts';
import { writeRows } from '../../src/store/filing/rows.ts';
import { requireAsOf } from '../../src/store/filing/settings.ts';
import { invalidate } from '../../src/store/invalidation/invalidate.ts';
import { listPending } from '../../src/store/invalidation/invalidation.ts';
import { publishCorpus, publishedCorpus } from '../../src/store/publish/corpus.ts';
import { leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import { parsedDoc } from '../filings/doc.ts';
import { openJobs } from '../jobs.ts';
import type { World } from '../world.ts';

const CENTS_PER_THOUSAND = 100_000n;

/** A pipeline whose 13F filings a test makes up: stored as parsed ones are, then folded and ranked by the jobs. */
export type BoardCorpus = {
  readonly file: (filings: readonly ThirteenF[]) => Promise<void>;
  /** Runs what is due until nothing is. */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openBoardCorpus(world: World): Promise<BoardCorpus> {
  const { context, close } = await openJobs(world);
  const { db } = context;
  return {
    async file(filings) {
      for (const filing of filings) {
        const table = { accession: filing.header.accession, source: 'p1' };
        const rows = await writeRows(db, table, filing.rows);
        await filingsIn(db).insertOne(parsedDoc(filing, { rows, parsedRaw: '0'.repeat(64) }));
      }
      await invalidate(db, 'report', filings.map(reportId));
    },
    settle: () => settle(context),
    close,
  };
}

async function settle(context: JobContext): Promise<void> {
  const { db } = context;
  for (
    let pending = await listPending(db, 'report', 500);
    pending.length > 0;
    pending = await listPending(db, 'report', 500)
  ) {
    for (const { key } of pending) await JOBS.diff(context, { part: partOfReport(key), at: 0 });
  }
  const before = await publishedCorpus(db);
  await publishCorpus(db, await computeCorpus(db, await requireAsOf(db)), { at: '', before });
  const due = await leaderboardDue(db);
  if (due !== null) await JOBS.leaderboard(context, due);
}

/** A manager's original report of the n-th sample quarter, filed 45 days after it unless said otherwise. */
export function boardFiling(
  cik: string,
  cusips: readonly Cusip[],
  at: number,
  rest: Partial<Parameters<typeof sampleFiling>[0]> = {},
): ThirteenF {
  const quarterEnd = TEN_QUARTERS[at] as QuarterEnd;
  const filedDate = new Date(Date.parse(quarterEnd) + 45 * 86_400_000).toISOString().slice(0, 10);
  const rows = cusips.map((cusip, n) =>
    sampleRow({
      row: n + 1,
      cusip,
      issuer: `ISSUER ${cusip}`,
      amount: 1_000_000_000n,
      value: centsOf(cusip, at) / CENTS_PER_THOUSAND,
    }),
  );
  const accession = `${cik}-${quarterEnd.slice(2, 4)}-${String(at).padStart(6, '0')}`;
  return sampleFiling({
    cik: cik as Cik,
    managerName: `MANAGER ${Number(cik)} LP`,
    quarterEnd,
    accession,
    filedDate,
    rows,
    ...rest,
  });
}
