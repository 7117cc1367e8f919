import { beforeAll, describe, expect, test } from 'vitest';
import { briefsIn } from '../../src/store/publish/briefs.ts';
import { noteSuperseded } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { seedBrief, seededBriefId } from './corpus.ts';
import { openStage } from './stage.ts';
import { publish } from './stock-corpus.ts';

const stage = opened(openStage);
let key = '';
let first = '';
let second = '';

beforeAll(async () => {
  const { db } = stage.world.mongo;
  await publish(db);
  first = await seedBrief(db, 'AAPL', 'first');
  second = await seedBrief(db, 'AAPL', 'second', 2);
  await noteSuperseded(db, first, { by: second, reason: 'algorithm', evidenceIds: [] });
  key = (await stage.newKey(1_000)).key;
});

const pathOf = (briefId: string): string => `/v1/briefs/${briefId}`;

describe('a brief by its id', () => {
  test('200: the bytes that the ticker answered, to be stored for good', async () => {
    const byId = await stage.get(pathOf(second), key);
    const ofTicker = await stage.get('/v1/stocks/AAPL/capital-change-brief', key);
    expect([byId.status, byId.text]).toEqual([200, ofTicker.text]);
    expect(byId.headers.get('etag')).toBe(`W/"${second}"`);
    expect(byId.headers.get('cache-control')).toBe('private, immutable');
    expect(byId.headers.get('x-credits-charged')).toBe('1');
    expect(byId.headers.has('x-superseded')).toBe(false);
  });

  test('200: a brief that is not shown any more stays as it was and says that another one is', async () => {
    const answer = await stage.get(pathOf(first), key);
    expect([answer.status, answer.body.data.brief_id]).toEqual([200, first]);
    expect(answer.headers.get('x-superseded')).toBe('true');
  });

  test('304: is charged and says that another brief is shown now', async () => {
    const answer = await stage.get(pathOf(first), key, { 'if-none-match': `W/"${first}"` });
    expect([answer.status, answer.text]).toEqual([304, '']);
    expect(answer.headers.get('x-superseded')).toBe('true');
    expect(answer.headers.get('cache-control')).toBe('private, immutable');
    expect(answer.headers.get('x-credits-charged')).toBe('1');
  });

  test('400: a malformed id', async () => {
    for (const id of ['ccm_1', first.toUpperCase(), `${first}0`, first.slice(4)]) {
      const answer = await stage.get(pathOf(id), key);
      expect([id, answer.status, answer.body.error]).toEqual([id, 400, 'invalid_parameter']);
    }
  });

  test('404: an id that was never built is not charged', async () => {
    const answer = await stage.get(pathOf(seededBriefId('AAPL', 'never')), key);
    expect([answer.status, answer.body.error]).toEqual([404, 'brief_not_found']);
    expect(answer.headers.get('x-credits-charged')).toBe('0');
  });
});

describe('its evidence', () => {
  test('200: filings with the rows used, paged, with links', async () => {
    const answer = await stage.get(`${pathOf(first)}/evidence`, key);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({
      brief_id: first,
      evidence: [{ evidence_id: 'sec:13f:0000950123-18-011885', parser_version: 'p1', rows: [1, 7] }],
      pagination: { page: 1, limit: 100, total: 1, pages: 1 },
    });
    expect(answer.headers.get('link')).toContain(
      `/v1/briefs/${first}/evidence?page=1&limit=100>; rel="last"`,
    );
    const past = await stage.get(`${pathOf(first)}/evidence?page=2`, key);
    expect(past.body.data).toMatchObject({ evidence: [], pagination: { total: 1 } });
  });

  test('a brief whose evidence is read is kept (rule 13.8)', async () => {
    const { db } = stage.world.mongo;
    const third = await seedBrief(db, 'GM', 'third');
    const isKept = async () => (await briefsIn(db).findOne({ _id: third }))?.kept;
    expect(await isKept()).toBe(false);
    await stage.get(`${pathOf(third)}/evidence`, key);
    expect(await isKept()).toBe(true);
  });

  test('404: of a brief that was never built', async () => {
    const answer = await stage.get(`${pathOf(seededBriefId('AAPL', 'never'))}/evidence`, key);
    expect([answer.status, answer.body.error]).toEqual([404, 'brief_not_found']);
  });
});

describe('the briefs of a stock', () => {
  test('200: all that are stored, and what replaced each', async () => {
    const answer = await stage.get('/v1/stocks/aapl/briefs', key);
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '1']);
    const { ticker, briefs, pagination } = answer.body.data;
    expect([ticker, pagination]).toEqual(['AAPL', { page: 1, limit: 20, total: 2, pages: 1 }]);
    expect(briefs).toHaveLength(2);
    const shown = { brief_id: null, superseded: false, superseded_reason: null };
    expect(briefs).toContainEqual(expect.objectContaining(shown));
    const replaced = { brief_id: first, superseded: true, superseded_reason: 'algorithm' };
    expect(briefs).toContainEqual(expect.objectContaining({ ...replaced, outcome: 'complete' }));
  });

  test('200: a brief that nothing replaced yet has no id there, also just before it is shown', async () => {
    const { db } = stage.world.mongo;
    const noted = await briefsIn(db).findOneAndUpdate({ _id: first }, { $unset: { superseded: '' } });
    const { briefs } = (await stage.get('/v1/stocks/AAPL/briefs', key)).body.data;
    if (noted?.superseded) await noteSuperseded(db, first, noted.superseded);
    expect(briefs.map((one: { brief_id: string | null }) => one.brief_id)).toEqual([null, null]);
  });

  test('200: nothing replaced the brief that is shown, also where a run noted late what once had', async () => {
    const { db } = stage.world.mongo;
    await noteSuperseded(db, second, { by: first, reason: 'reparsed', evidenceIds: ['sec:13f:x'] });
    const { briefs } = (await stage.get('/v1/stocks/AAPL/briefs', key)).body.data;
    const shown = { brief_id: null, superseded_reason: null, superseded_evidence_ids: [] };
    expect(briefs).toContainEqual(expect.objectContaining({ ...shown, superseded: false }));
  });

  test('404: a ticker that no source knows', async () => {
    const answer = await stage.get('/v1/stocks/ZZZZ/briefs', key);
    expect([answer.status, answer.body.error]).toEqual([404, 'stock_not_found']);
  });
});
