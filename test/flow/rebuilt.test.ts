import { beforeAll, expect, test } from 'vitest';
import { ALGORITHM_VERSION, summaryOf } from '../../src/domain/brief/manifest.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import type { Brief } from '../../src/domain/wire/brief.ts';
import { currentBrief } from '../../src/read/brief/brief.ts';
import { briefsIn, listCorrections, saveBrief } from '../../src/store/publish/briefs.ts';
import { currentBriefsIn, evidenceOfBrief } from '../../src/store/publish/current-briefs.ts';
import { tidemark } from '../cli/tidemark.ts';
import { opened } from '../opened.ts';
import { openFlow, runPipeline } from './flow.ts';
import { AS_OF, openSmallCorpus } from './small-corpus.ts';

const OLDER = 'tidemark.capital_change.8';
/** What the older algorithm counted otherwise, and what it only built. */
const [RECOUNTED, SAME, OTHERWISE] = ['GM', 'AAPL', 'TSLA'] as Ticker[];
const ALL = [RECOUNTED, SAME, OTHERWISE] as Ticker[];

const folder = opened(openSmallCorpus);
const flow = opened(() => openFlow(folder, AS_OF));
/** The ids by the present algorithm, and by the older one. */
let present: Record<string, string>;

beforeAll(async () => {
  await runPipeline(flow);
  const ids = await Promise.all(ALL.map(async (ticker) => [ticker, (await shown(ticker)).brief_id] as const));
  present = Object.fromEntries(ids);
  await builtBefore(RECOUNTED as Ticker, (brief) => {
    const { institutional } = brief;
    const counts = { ...institutional.counts, added: institutional.counts.added + 1 };
    return { ...brief, institutional: { ...institutional, counts } };
  });
  await builtBefore(SAME as Ticker, (brief) => brief);
  // Of other filings: its figures are news.
  await builtBefore(OTHERWISE as Ticker, (brief) => ({
    ...brief,
    insiders: { ...brief.insiders, counts: { ...brief.insiders.counts, buys: 99 } },
    manifest: { ...brief.manifest, evidence_digest: `sha256:${'0'.repeat(64)}` },
  }));
}, 300_000);

async function shown(ticker: Ticker): Promise<Brief> {
  const { body } = await currentBrief(flow.db, ticker, () => new Date());
  return (JSON.parse(body.toString('utf8')) as { data: Brief }).data;
}

const olderId = (ticker: Ticker): string => `ccm_of_an_older_algorithm_${ticker}`;

/** Shows the brief as an older algorithm might have built it. */
async function builtBefore(ticker: Ticker, change: (brief: Brief) => Brief): Promise<void> {
  const { db } = flow;
  const brief = change(await shown(ticker));
  const _id = olderId(ticker);
  const older = { ...brief, brief_id: _id, manifest: { ...brief.manifest, algorithm_version: OLDER } };
  const { evidence = [] } = (await evidenceOfBrief(db, brief.brief_id)) ?? {};
  const body = Buffer.from(JSON.stringify({ data: older }));
  await saveBrief(db, {
    _id,
    ticker,
    body,
    evidence,
    generatedAt: brief.generated_at,
    summary: summaryOf(older),
  });
  await currentBriefsIn(db).updateOne({ _id: ticker }, { $set: { briefId: _id, algorithm: OLDER } });
}

async function dryRun(...options: string[]) {
  const { code, stdout, stderr } = await tidemark(flow.world, 'reparse', '--dry-run', ...options);
  return { code, stdout, stderr };
}

/** Everything that a build writes. */
async function written() {
  const names = ['current_briefs', 'briefs', 'holder_facts', 'evidence', 'invalidations'];
  const of = (name: string) => flow.db.collection(name).find().sort({ _id: 1 }).toArray();
  return Promise.all(names.map(of));
}

test('a dry run names the briefs that the present algorithm would correct, and writes nothing (rule 8.9)', async () => {
  const before = await written();
  const { code, stdout } = await dryRun('--json');
  expect([code, JSON.parse(stdout).briefs]).toEqual([
    0,
    {
      algorithm: ALGORITHM_VERSION,
      counts: { corrected: 1, same: 1, news: 1, moving: 0, lost: 0 },
      corrected: [
        {
          ...{ ticker: RECOUNTED, from: olderId(RECOUNTED as Ticker), to: present[RECOUNTED as Ticker] },
          differences: [
            `Algorithm: ${OLDER} before, ${ALGORITHM_VERSION} now.`,
            expect.stringMatching(/^Managers that added shares: \d+ before, \d+ now\.$/),
          ],
        },
      ],
      left_out: 0,
    },
  ]);
  expect(await written()).toEqual(before);
});

test('it says so on a line for each, of the tickers and up to the count that are asked for', async () => {
  const { stdout, stderr } = await dryRun('--tickers', 'gm,AAPL');
  expect(stdout.split('\t').slice(0, 3)).toEqual([
    ...[RECOUNTED, olderId(RECOUNTED as Ticker), present[RECOUNTED as Ticker]],
  ]);
  expect(stderr).toContain('1 brief: would be corrected');
  expect(stderr).not.toContain('change anyway');
  const none = await dryRun('--briefs', '0', '--json');
  expect(JSON.parse(none.stdout).briefs).toMatchObject({ corrected: [], left_out: 1 });
});

test('a portion of the filings builds no brief, and tickers need a dry run', async () => {
  expect(JSON.parse((await dryRun('--form', '4', '--json')).stdout)).not.toHaveProperty('briefs');
  const { code, stderr } = await tidemark(flow.world, 'reparse', '--tickers', 'GM');
  expect(code).not.toBe(0);
  expect(stderr).toContain('--tickers needs --dry-run');
});

test('the next reading corrects what the dry run named, and no other', async () => {
  for (const ticker of ALL) expect((await shown(ticker)).brief_id).toBe(present[ticker]);
  expect(await listCorrections(flow.db, null, 100)).toMatchObject([
    {
      ...{ ticker: RECOUNTED, from: olderId(RECOUNTED as Ticker), _id: present[RECOUNTED as Ticker] },
      cause: 'algorithm',
    },
  ]);
  const { stdout } = await dryRun('--json');
  expect(JSON.parse(stdout).briefs.counts).toEqual({ corrected: 0, same: 0, news: 0, moving: 0, lost: 0 });
  expect(await briefsIn(flow.db).countDocuments({ _id: olderId(SAME as Ticker) })).toBe(1);
});
