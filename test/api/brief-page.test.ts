import { beforeAll, describe, expect, test } from 'vitest';
import type { BriefSummary } from '../../src/domain/brief/manifest.ts';
import { verifyBrief } from '../../src/domain/brief/verify.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { SAMPLE } from '../../src/site/sample.ts';
import { briefsIn, saveBrief } from '../../src/store/publish/briefs.ts';
import { opened } from '../opened.ts';
import { openStage } from './stage.ts';

const stage = opened(openStage);
const path = `/briefs/${SAMPLE.brief_id}`;

const idOf = (digit: string) => `ccm_${digit.repeat(64)}`;

const store = (brief: Pick<typeof SAMPLE, 'brief_id'>) =>
  saveBrief(stage.world.mongo.db, {
    _id: brief.brief_id,
    ticker: 'AAPL' as Ticker,
    body: Buffer.from(JSON.stringify({ data: brief })),
    generatedAt: SAMPLE.generated_at,
    evidence: [],
    summary: {} as BriefSummary,
  });

beforeAll(async () => {
  await store(SAMPLE);
});

const seen = async (at: string) => {
  const response = await fetch(`${stage.origin}${at}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the page of a brief', () => {
  test('is free, and links every number that it proves to its filing', async () => {
    const { status, headers, text } = await seen(path);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const change of SAMPLE.institutional.changes) {
      const filing = SAMPLE.evidence.find(({ evidence_id }) => evidence_id === change.evidence_ids[0]);
      const shown = change.share_delta.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ',');
      expect(text).toMatch(new RegExp(`href="${filing?.human_url}"[^>]*>[+−]${shown}<`));
    }
    for (const sentence of SAMPLE.coverage.limitations) {
      expect(text).toContain(sentence.replaceAll("'", '&#39;'));
    }
    expect(text).toContain(SAMPLE.brief_id);
  });

  test('gives the exact bytes, from which anyone recomputes the id', async () => {
    const { status, text } = await seen(`${path}.json`);
    expect(status).toBe(200);
    expect(verifyBrief(JSON.parse(text))).toEqual({ ok: true, problems: [] });
    expect(JSON.parse(text)).toEqual({ data: SAMPLE });
  });

  test('and its bytes are the same compressed, from memory or from the store', async () => {
    for (const at of [path, `${path}.json`, `${path}/diff/${SAMPLE.brief_id}`]) {
      const [plain, packed] = await Promise.all(
        ['identity', 'gzip'].map((coding) =>
          fetch(`${stage.origin}${at}`, { headers: { 'accept-encoding': coding } }),
        ),
      );
      expect([plain?.headers.get('content-encoding'), packed?.headers.get('content-encoding')]).toEqual([
        null,
        'gzip',
      ]);
      expect(await plain?.text()).toBe(await packed?.text());
    }
    const stored = await briefsIn(stage.world.mongo.db).findOne({ _id: SAMPLE.brief_id });
    const length = (await fetch(`${stage.origin}${path}.json`)).headers.get('content-length');
    expect(Number(length)).toBe(stored?.gzip.length());
  });

  test('is kept once somebody read it', async () => {
    await seen(path);
    const doc = await briefsIn(stage.world.mongo.db).findOne({ _id: SAMPLE.brief_id });
    expect([doc?.kept, doc?.expiresAt]).toEqual([true, undefined]);
  });

  test('is answered again without a read', async () => {
    const pages = [path, `${path}.json`, `${path}/diff/${SAMPLE.brief_id}`];
    const ask = () => Promise.all(pages.map(async (at) => (await seen(at)).text));
    const first = await ask();
    const briefs = briefsIn(stage.world.mongo.db);
    const doc = await briefs.findOne({ _id: SAMPLE.brief_id });
    await briefs.deleteMany({});
    expect(await ask()).toEqual(first);
    if (doc !== null) await briefs.insertOne(doc);
  });

  test('404: another id, in any shape', async () => {
    for (const id of [`ccm_${'0'.repeat(64)}`, 'ccm_1', '%7b']) {
      expect([id, (await seen(`/briefs/${id}`)).status]).toEqual([id, 404]);
    }
    const page = await fetch(`${stage.origin}/briefs/ccm_1`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('the page of two briefs', () => {
  const limitations = [...SAMPLE.coverage.limitations, 'It is <odd>.'];
  const other = {
    ...SAMPLE,
    brief_id: idOf('a'),
    facts_id: idOf('f'),
    outcome: 'uncertain' as const,
    headline: 'AAPL: nobody knows.',
    coverage: { ...SAMPLE.coverage, limitations },
  };
  const [sameFacts, headlineOnly, ofAnother] = [
    { ...other, brief_id: idOf('b'), facts_id: SAMPLE.facts_id },
    { ...SAMPLE, brief_id: idOf('c'), facts_id: idOf('f'), headline: 'AAPL: nobody knows.' },
    { ...SAMPLE, brief_id: idOf('d'), facts_id: idOf('f'), requested_ticker: 'MSFT' },
  ];
  const unlike = { ...SAMPLE, brief_id: idOf('e'), facts_id: idOf('f') };

  beforeAll(async () => {
    for (const brief of [other, sameFacts, headlineOnly, ofAnother, unlike]) await store(brief);
  });

  test('says in words what changed from the first to the second, and leads to both', async () => {
    const { status, headers, text } = await seen(`${path}/diff/${other.brief_id}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`Outcome: ${SAMPLE.outcome} before, uncertain now.`);
    expect(text).toContain('New limitation: It is &lt;odd&gt;.');
    for (const { brief_id } of [SAMPLE, other]) expect(text).toContain(`href="/briefs/${brief_id}"`);
  });

  test('counts what it lists', async () => {
    const lists = [
      [other, '2 things differ, and the headlines.', 2],
      [ofAnother, '1 thing differs.', 1],
      [headlineOnly, 'Only the headlines differ.', 0],
      [unlike, 'No difference in what this page compares; the facts behind it differ.', 0],
      [sameFacts, 'Both say the same about the stock.', 2],
    ] as const;
    for (const [{ brief_id }, lead, listed] of lists) {
      const { text } = await seen(`${path}/diff/${brief_id}`);
      expect(text).toContain(`<p class="lead">${lead}`);
      const [, list = ''] = text.split('<h2 id="differences">');
      expect([lead, list.split('</ul>')[0]?.match(/<li>/g)?.length ?? 0]).toEqual([lead, listed]);
    }
  });

  test('names two tickers, and leads back', async () => {
    const { text } = await seen(`${path}/diff/${ofAnother.brief_id}`);
    expect(text).toContain('Ticker: AMZN before, MSFT now.');
    expect(text).toContain(`href="/briefs/${ofAnother.brief_id}/diff/${SAMPLE.brief_id}"`);
  });

  test('says so when nothing changed', async () => {
    expect((await seen(`${path}/diff/${SAMPLE.brief_id}`)).text).toContain('This is the same brief twice.');
  });

  test('all visitors together have some made in a second, and what is in memory besides', async () => {
    const ids = Array.from({ length: 150 }, (_, at) => `ccm_${String(at).padStart(64, '9')}`);
    await Promise.all(ids.map((brief_id) => store({ ...SAMPLE, brief_id })));
    const statusesOf = async (paths: readonly string[]) =>
      new Set((await Promise.all(paths.map(seen))).map(({ status }) => status));
    expect(await statusesOf(ids.map((id) => `/briefs/${id}.json`))).toEqual(new Set([200, 503]));
    // Those that do not exist take no place of them.
    expect(await statusesOf(ids.map((id) => `${path}/diff/${id.replaceAll('9', '8')}`))).toEqual(
      new Set([404]),
    );
    expect((await seen(path)).status).toBe(200);
  });

  test('404: where one of them is not stored', async () => {
    const unknown = `ccm_${'0'.repeat(64)}`;
    for (const pair of [`${path}/diff/${unknown}`, `/briefs/${unknown}/diff/${SAMPLE.brief_id}`])
      expect([pair, (await seen(pair)).status]).toEqual([pair, 404]);
  });
});
