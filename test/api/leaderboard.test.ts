import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyLeaderboard } from '../../src/api/endpoints/copy-leaderboard.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { bestByLuck } from '../../src/domain/leaderboard/measure.ts';
import { MANAGERS, STEADY, TEN_QUARTERS, UP_AND_DOWN } from '../../src/domain/leaderboard/rank.sample.ts';
import { publishAsOf } from '../../src/store/filing/settings.ts';
import { boardIn, LAST_WINDOW, leaderboardDue } from '../../src/store/publish/leaderboard.ts';
import { opened } from '../opened.ts';
import { boardFiling, openBoardCorpus } from './board-corpus.ts';
import { type Answer, openStage } from './stage.ts';

/** After the deadline of the last sample quarter. */
const AS_OF = '2019-05-31' as IsoDate;
const PATH = '/v1/copy/leaderboard';

const stage = opened(openStage);
const corpus = opened(() => openBoardCorpus(stage.world));
let key = '';

beforeAll(async () => {
  await publishAsOf(stage.world.mongo.db, AS_OF);
  key = (await stage.newKey(10_000)).key;
});

/** By a key of its own each time, so that it is read and does not come from memory. */
const board = (query = '') => stage.get(`${PATH}${query}`, key, { 'idempotency-key': randomUUID() });
const ciksOf = ({ body }: Answer): string[] =>
  body.data.leaders.map((leader: { actor: { cik: string } }) => leader.actor.cik);
const leaderOf = ({ body }: Answer, cik: string) =>
  body.data.leaders.find((leader: { actor: { cik: string } }) => leader.actor.cik === cik);

describe('before there is a ranking', () => {
  test('503 before the first computation, uncharged', async () => {
    const answer = await board();
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(answer.headers.get('x-credits-charged')).toBe('0');
  });

  test('200 and an empty list with the reason when the history is too short', async () => {
    await corpus.file([boardFiling('0000000008', UP_AND_DOWN, 9)]);
    await corpus.settle();
    const answer = await board();
    expect(answer.status).toBe(200);
    expect(copyLeaderboard.output.safeParse(answer.body).error).toBeUndefined();
    expect(answer.body.data).toMatchObject({
      as_of: AS_OF,
      leaders: [],
      eligibility: {
        eligible: 0,
        ineligible: 1,
        benchmark_quarters: 0,
        reasons: { too_few_quarters: 1, not_current: 0 },
        reason: expect.stringContaining('0 of the window'),
      },
      pagination: { page: 1, limit: 25, total: 0, pages: 0 },
    });
  });
});

describe('ten quarters of seven managers', () => {
  beforeAll(async () => {
    const twins = ['0000000021', '0000000020'].map((cik) => ({ cik, cusips: STEADY }));
    for (const at of TEN_QUARTERS.keys()) {
      const filers = [...MANAGERS, ...twins].filter(({ cik }) => at < 9 || cik !== '0000000008');
      await corpus.file(filers.map(({ cik, cusips }) => boardFiling(cik, cusips, at)));
    }
    await corpus.settle();
  });

  test('are ranked as computed by hand, with the names of /funds', async () => {
    const answer = await board();
    expect(copyLeaderboard.output.safeParse(answer.body).error).toBeUndefined();
    expect(answer.body.data.method).toMatchObject({
      version: 'copyability.v6',
      entry_basis: 'quarter_end',
      min_quarters: 8,
      benchmark: { ticker: 'SPY', cusip: '78462F103' },
      window: { quarters: 12, from: '2016-06-30', to: '2019-03-31' },
    });
    expect(leaderOf(answer, '0000000008')).toMatchObject({
      actor_type: 'fund',
      actor: { cik: '0000000008', name: 'MANAGER 8 LP', slug: 'manager-8-lp', manager: null },
      score: 0.353553,
      lagged_excess_return_pct: 2,
      win_rate_pct: 50,
      quarters: 8,
      turnover_pct: 0,
      top10_weight_pct: 100,
      holdings_count: 5,
      priced_weight_pct: 100,
      max_drawdown_pct: 2,
      latest_quarter: '2019Q1',
      filing_lag_days_median: 45,
      limitations: ['Only 8 quarters are counted.'],
    });
    expect(answer.body.data.eligibility).toMatchObject({ eligible: 7, ineligible: 0, reason: null });
  });

  test('ties are ordered by CIK, and pages of any size have every manager once', async () => {
    const all = ciksOf(await board());
    expect(all.slice(0, 3)).toEqual(['0000000009', '0000000020', '0000000021']);
    for (const limit of [1, 2, 3]) {
      const pages = Array.from({ length: Math.ceil(7 / limit) }, (_, at) =>
        board(`?limit=${limit}&page=${at + 1}`),
      );
      expect((await Promise.all(pages)).flatMap(ciksOf)).toEqual(all);
    }
  });

  test('pages link to each other with the window; a page after the last is empty with correct totals', async () => {
    const answer = await board('?window_quarters=8&limit=3&page=2');
    const address = `https://tidemark.test${PATH}?window_quarters=8`;
    expect(answer.headers.get('link')).toBe(
      `<${address}&page=1&limit=3>; rel="first", <${address}&page=1&limit=3>; rel="prev", ` +
        `<${address}&page=3&limit=3>; rel="next", <${address}&page=3&limit=3>; rel="last"`,
    );
    const past = await board('?limit=3&page=9');
    expect(past.body.data).toMatchObject({
      leaders: [],
      pagination: { page: 9, limit: 3, total: 7, pages: 3 },
      eligibility: { eligible: 7 },
    });
  });

  test('without changes nothing is due, and a complete second run gives the same bytes', async () => {
    const { db } = stage.world.mongo;
    expect(await leaderboardDue(db)).toBeNull();
    const before = await board();
    await db.collection('leaderboard_quarters').deleteMany({});
    await boardIn(db).updateMany({}, { $set: { method: 'an earlier one' } });
    await corpus.settle();
    expect((await board()).text).toBe(before.text);
    expect(await leaderboardDue(db)).toBeNull();
  });

  test('503, uncharged, while the stored board is one of an earlier method', async () => {
    const { db } = stage.world.mongo;
    const { method } = (await boardIn(db).findOne({ _id: LAST_WINDOW })) ?? {};
    await boardIn(db).updateMany({}, { $set: { method: 'an earlier one' } });
    const seen = async () => {
      const answer = await board();
      return [answer.status, answer.headers.get('x-credits-charged')];
    };
    await expect.poll(seen).toEqual([503, '0']);
    await boardIn(db).updateMany({}, { $set: { method: method ?? '' } });
    expect((await board()).status).toBe(200);
  });

  test('the luck of the best of seven stands in the method and at each manager (rule 9.3)', async () => {
    const { method } = (await board()).body.data;
    expect(method.luck).toEqual({ managers: 7, quarters: 9, t_stat: bestByLuck(7, 9), level_pct: 5 });
    expect(leaderOf(await board(), '0000000008')).toMatchObject({
      ...{ beyond_luck: false, t_stat: 0.8819, luck_t_stat: bestByLuck(7, 8) },
      lagged_excess_return_lost_pct: 2,
      quarters_left_out: 0,
    });
  });

  test('another day ranks again', async () => {
    const { db } = stage.world.mongo;
    await publishAsOf(db, '2019-05-30' as IsoDate, AS_OF);
    await corpus.settle();
    expect((await board()).body.data.as_of).toBe('2019-05-30');
    await publishAsOf(db, AS_OF, '2019-05-30' as IsoDate);
    await corpus.settle();
    expect((await board()).body.data.as_of).toBe(AS_OF);
  });

  test('a later restatement does not change what was copied before it was public', async () => {
    const before = leaderOf(await board(), '0000000008');
    const amendmentType = 'restatement' as const;
    const rest = { accession: '0000000008-19-000100', filedDate: '2019-05-20', amendmentType };
    await corpus.file([boardFiling('0000000008', STEADY, 3, rest)]);
    await corpus.settle();
    const shown = await stage.get('/v1/funds/8/holdings?year=2017&quarter=3', key);
    expect(shown.body.data.filing.accession_number).toBe(rest.accession);
    const { limitations, ...after } = leaderOf(await board(), '0000000008');
    expect({ ...after, limitations: before.limitations }).toEqual(before);
    expect(limitations).toEqual([
      'Only 8 quarters are counted.',
      '1 report was amended after the end of the next quarter. The copy uses what was public by then.',
    ]);
  });

  test('a report that came two days after the next quarter is not copied and changes no ranking', async () => {
    const before = (await board()).body.data.leaders;
    const late = (at: number) => (at === 3 ? { filedDate: '2018-01-02' } : {});
    const reports = [...TEN_QUARTERS.keys()].map((at) =>
      boardFiling('0000000007', UP_AND_DOWN, at, late(at)),
    );
    await corpus.file(reports);
    await corpus.settle();
    const { leaders, eligibility } = (await board()).body.data;
    expect(leaders).toEqual(before);
    expect(eligibility).toMatchObject({ ineligible: 1, reasons: { too_few_quarters: 1, not_current: 0 } });
  });
});

describe('refused requests', () => {
  test.each([
    'window_quarters=7',
    'window_quarters=41',
    'window_quarters=8.5',
    'limit=0',
    'limit=101',
    'page=0',
    'page=x',
    'window_quarters=8&window_quarters=9',
  ])('400 for %s, uncharged', async (query) => {
    const answer = await board(`?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.details.map(({ param }: { param: string }) => param)).toEqual([query.split('=')[0]]);
    expect(answer.headers.get('x-credits-charged')).toBe('0');
  });

  test.each(['window_quarters=8', 'window_quarters=40', 'limit=100'])(
    '200 for %s, for one credit',
    async (query) => {
      const answer = await board(`?${query}`);
      expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1']);
    },
  );

  test('401 without a key, 402 without credits, 405 with Allow for POST', async () => {
    expect((await stage.get(PATH)).status).toBe(401);
    const poor = await stage.newKey(0);
    const broke = await stage.get(PATH, poor.key);
    expect([broke.status, broke.body.needed]).toEqual([402, 1]);
    const posted = await fetch(`${stage.origin}${PATH}`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
