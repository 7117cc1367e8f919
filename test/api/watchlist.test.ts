import { beforeAll, describe, expect, test } from 'vitest';
import type { Accession, Cik } from '../../src/domain/ids.ts';
import { replaceWatchlist } from '../../src/store/account/watchlists.ts';
import { type EventDoc, eventsIn } from '../../src/store/filing/events.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';

const UNREAD = { coverage_status: 'not_covered', limitations: ['No day is read without a gap.'] };

const stage = opened(openStage);

const ISSUER = '0000320193' as Cik;
const OWNER = '0001214156' as Cik;
const AT = '2018-11-30T12:00:00Z';

/** Every third is of AAPL, every fourth of the issuer under no ticker, every fifth of the owner; 7 is skipped. */
function event(seq: number): EventDoc {
  return {
    _id: seq,
    accession: `0000320193-18-${String(seq).padStart(6, '0')}` as Accession,
    form: '4',
    ticker: seq % 3 === 0 ? 'AAPL' : 'MSFT',
    issuer: 'An Issuer',
    issuerCik: seq % 4 === 0 ? ISSUER : null,
    reportingOwnerCiks: seq % 5 === 0 ? ['0000000009' as Cik, OWNER] : [],
    filedAt: '2018-11-14T21:05:00Z',
    sourceUrl: 'https://www.sec.gov/Archives/edgar/data/320193/',
  };
}

const ALL = Array.from({ length: 60 }, (_, at) => at + 1).filter((seq) => seq !== 7);
const matches = (seq: number): boolean => seq % 3 === 0 || seq % 4 === 0 || seq % 5 === 0;

beforeAll(async () => {
  await eventsIn(stage.world.mongo.db).insertMany(ALL.map(event));
});

async function watcher(tickers: string[], ciks: string[]) {
  const { key, orgId } = await stage.newKey(1_000);
  const { db } = stage.world.mongo;
  await replaceWatchlist(db, orgId, { tickers, ciks }, AT);
  return { orgId, poll: (query = '') => stage.get(`/v1/watchlist/poll${query}`, key) };
}

const seqs = (body: { data: { events: { seq: number }[] } }) => body.data.events.map((one) => one.seq);

describe('/watchlist/poll', () => {
  test('following next_cursor from 0 delivers every watched event once, in order', async () => {
    const { poll } = await watcher(['aapl'], ['320193', OWNER]);
    const seen: number[] = [];
    let cursor = '0';
    for (let turn = 0; turn < 8; turn += 1) {
      const { body } = await poll(`?since=${cursor}&limit=7`);
      expect(Number(body.data.next_cursor)).toBeGreaterThanOrEqual(Number(cursor));
      seen.push(...seqs(body));
      cursor = body.data.next_cursor;
    }
    expect(seen).toEqual(ALL.filter(matches));
    expect(cursor).toBe('60');
  });

  test('an event names the entry that it matches: ticker, then issuer, then reporting owner', async () => {
    const { poll } = await watcher(['AAPL'], [ISSUER, OWNER]);
    const { body } = await poll('?since=57&limit=10');
    expect(body.data.events[0]).toEqual({
      seq: 60,
      form: '4',
      ticker: 'AAPL',
      issuer: 'An Issuer',
      accession_number: '0000320193-18-000060',
      filed_at: '2018-11-14T21:05:00Z',
      source_url: 'https://www.sec.gov/Archives/edgar/data/320193/',
      matched: { type: 'ticker', value: 'AAPL' },
    });
    const of = async (since: number) => (await poll(`?since=${since}&limit=1`)).body.data.events[0].matched;
    expect(await of(39)).toEqual({ type: 'cik', value: ISSUER });
    expect(await of(24)).toEqual({ type: 'cik', value: OWNER });
  });

  test('without since: the latest that match, ascending, and the head as cursor', async () => {
    const { poll } = await watcher([], [OWNER]);
    const { body } = await poll('?limit=2');
    expect(seqs(body)).toEqual([55, 60]);
    expect(body.data.next_cursor).toBe('60');
  });

  test('the answer has the list as it was saved', async () => {
    const { orgId, poll } = await watcher(['msft', 'brk/b', 'MSFT'], ['9']);
    expect((await poll('?since=60')).body.data).toEqual({
      events: [],
      next_cursor: '60',
      watchlist: { id: orgId, tickers: ['BRK.B', 'MSFT'], ciks: ['0000000009'], updated_at: AT },
      ...UNREAD,
    });
  });

  test('without a match the cursor moves to the head; a cursor ahead of it stays, with a note', async () => {
    const { poll } = await watcher(['NONE'], []);
    expect((await poll('?since=3')).body.data).toMatchObject({ events: [], next_cursor: '60' });
    expect((await poll('?since=61')).body.data).toMatchObject({
      events: [],
      next_cursor: '61',
      note: { code: 'cursor_ahead' },
    });
  });

  test('an empty or unknown list gets a charged answer with a note, and the given cursor or the head', async () => {
    const { key, orgId } = await stage.newKey(10);
    const answer = await stage.get('/v1/watchlist/poll', key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('1');
    expect(answer.body.data).toEqual({
      events: [],
      next_cursor: '60',
      watchlist: { id: orgId, tickers: [], ciks: [], updated_at: null },
      note: { code: 'empty_watchlist', message: expect.stringContaining('/connect') },
      ...UNREAD,
    });
    const { poll } = await watcher([], []);
    expect((await poll('?since=4')).body.data).toMatchObject({
      next_cursor: '4',
      watchlist: { updated_at: AT },
      note: { code: 'empty_watchlist' },
    });
  });

  test("an organisation's list is shared by its keys and by no other organisation", async () => {
    const mine = await watcher(['AAPL'], []);
    const other = await watcher(['MSFT'], []);
    const [one, two] = [await mine.poll('?since=0'), await other.poll('?since=0')];
    expect(one.body.data.watchlist.id).not.toBe(two.body.data.watchlist.id);
    expect(seqs(one.body).filter((seq) => seqs(two.body).includes(seq))).toEqual([]);
  });
});
