import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import { sampleRow } from '../../src/domain/filing/filing.sample.ts';
import type { InfoTableRow } from '../../src/domain/filing/filing.ts';
import type { Cusip, Ticker } from '../../src/domain/ids.ts';
import { fails } from '../../src/domain/security/mapping.sample.ts';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { positionHistory } from '../../src/read/holders/position-history.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { saveMappings } from '../../src/store/security/securities.ts';
import { cik, LATEST, PRIOR, publish, showFiled } from '../api/stock-corpus.ts';
import { thirteenFOf } from '../filings/read.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const [NU, TICKER] = ['G6683N103' as Cusip, 'NU' as Ticker];
const BERKSHIRE = new URL('../../demo/quarter/filings/0000950123-22-012275.txt', import.meta.url);

/** Berkshire's Nu Holdings of 2022-09-30, under G6693N103. */
const mistyped = thirteenFOf(readFileSync(BERKSHIRE)).rows.find(
  ({ cusip }) => cusip === 'G6693N103',
) as InfoTableRow;

const world = opened(openWorld);
beforeAll(async () => {
  const { db } = world.mongo;
  await ensureIndexes(db);
  await publish(db);
  await saveMappings(db, [fails('NU', NU, { on: '2018-03-30', name: 'NU HOLDINGS LTD ORD SHS CL A' })]);
});

async function file(n: number, rows: readonly InfoTableRow[]) {
  const { db } = world.mongo;
  await showFiled(db, n, { [PRIOR]: rows, [LATEST]: rows });
  const key = { cik: cik(n), quarterEnd: LATEST };
  return invalidateReportFollowers(db, [{ key, report: await findReport(db, key), before: null }]);
}

async function answered() {
  const { db } = world.mongo;
  const corpus = (await publishedCorpus(db))?.corpus;
  if (corpus === undefined) throw new Error('nothing is published');
  const asked = { ticker: TICKER, cusip: NU, corpus, quarters: 1, cik: null };
  const [line] = await positionHistory(db, asked);
  return { brief: buildBrief(await loadBriefInput(db, TICKER, '')), line };
}

test('a row that names the issuer under a misprint of its CUSIP is in doubt there, and in no figure (rule 5.6)', async () => {
  expect(mistyped).toMatchObject({ issuer: 'NU HLDGS LTD', reasons: ['cusip_checksum_failed'] });
  expect((await file(1, [mistyped])).tickers).toContain(TICKER);
  const { brief: alone, line: first } = await answered();
  expect([alone.outcome, alone.institutional.stance]).toEqual(['uncertain', 'not_determined']);
  expect(first).toMatchObject({ holders: 0, stance: 'not_determined', coverage_status: 'partial' });

  await file(2, [sampleRow({ cusip: NU, issuer: 'NU HLDGS LTD', amount: 145_400n, value: 640n })]);
  const { brief, line } = await answered();
  expect([brief.outcome, brief.institutional.tracked_managers_observed]).toEqual(['partial', 1]);
  expect(brief.quality_artifacts.groups).toMatchObject([
    {
      reason: 'cusip_checksum_failed',
      examples: [{ fund: { cik: cik(1) }, detail: expect.stringContaining('107,118,784 shares') }],
    },
  ]);
  expect(brief.coverage.limitations.join(' ')).toContain('1 row of a mistyped CUSIP may be of the security.');
  expect(line).toMatchObject({ holders: 1, shares: '145400' });
  expect(line?.limitations).toContain('1 observation is unusable and excluded from all figures.');
}, 30_000);

test('one of another name, and one of a manager that has the right CUSIP too, are not', async () => {
  await file(3, [{ ...mistyped, issuer: 'GREENLIGHT CAPITAL RE LTD' }]);
  await file(4, [mistyped, sampleRow({ row: 2, cusip: NU, issuer: 'NU HLDGS LTD' })]);
  const { brief } = await answered();
  expect(brief.quality_artifacts.groups[0]?.observation_count).toBe(1);
  expect(brief.institutional.tracked_managers_observed).toBe(2);
}, 30_000);
