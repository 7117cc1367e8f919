import { beforeAll, describe, expect, test } from 'vitest';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import type { BriefSummary } from '../../src/domain/brief/manifest.ts';
import type { Ticker } from '../../src/domain/ids.ts';
import { SAMPLE } from '../../src/site/sample.ts';
import { saveBrief } from '../../src/store/publish/briefs.ts';
import { noteSuperseded } from '../../src/store/publish/current-briefs.ts';
import { opened } from '../opened.ts';
import { openAgent } from './agent.ts';
import { SUMMARY, seed, seedBrief, seededBriefId } from './corpus.ts';
import { goodCalls } from './good-calls.ts';
import { seedForms } from './insider-corpus.ts';
import { publish, seedSymbols } from './stock-corpus.ts';

const FORM = form4({ number: 1, filed: '2018-06-04' });
/** What an older link has. The ticker shows another one now. */
const OLD = `ccm_${'a'.repeat(64)}`;
/** Replaced by one that says the same, when the day changed. */
const YESTERDAY = `ccm_${'b'.repeat(64)}`;
const CALLS = goodCalls({ briefId: OLD, accession: FORM.header.accession });
const BOUGHT = 'capital_change_brief';

const agent = opened(openAgent);
let key = '';
let shown = '';

beforeAll(async () => {
  const { db } = agent.stage.world.mongo;
  await seed(db);
  await publish(db);
  await seedSymbols(db);
  await seedForms(db, [FORM]);
  const stored: Readonly<Record<string, BriefSummary>> = {
    [OLD]: SUMMARY,
    [YESTERDAY]: { ...SUMMARY, facts_id: seededBriefId('AAPL', 'shown').replace('ccm', 'facts') },
  };
  for (const [_id, summary] of Object.entries(stored)) {
    await saveBrief(db, {
      ...{ _id, summary, ticker: 'AAPL' as Ticker, generatedAt: SAMPLE.generated_at, evidence: [] },
      body: Buffer.from(JSON.stringify({ data: { ...SAMPLE, brief_id: _id, requested_ticker: 'AAPL' } })),
    });
  }
  shown = await seedBrief(db, 'AAPL', 'shown', 2);
  await noteSuperseded(db, OLD, { by: YESTERDAY, reason: 'new_filings', evidenceIds: [] });
  await noteSuperseded(db, YESTERDAY, { by: shown, reason: 'day_or_coverage', evidenceIds: [] });
  key = (await agent.stage.newKey(1_000)).key;
});

/** All that an answer says, headers included. */
async function seen(path: string, { method = 'GET', ...headers }: Record<string, string> = {}) {
  const response = await fetch(`${agent.stage.origin}${path}`, { method, headers, redirect: 'manual' });
  return { status: response.status, all: JSON.stringify([...response.headers]) + (await response.text()) };
}

/** The arguments of a tool, from the address of its mirror. */
function argumentsOf({ path, good }: (typeof CALLS)[number]): Record<string, string> {
  const { pathname, searchParams } = new URL(good, 'http://x');
  const values = pathname.split('/').slice(2);
  const names = path.split('/').slice(1);
  const inPath = names.flatMap((name, at) =>
    name.startsWith('{') ? [[name.slice(1, -1), values[at] ?? '']] : [],
  );
  return Object.fromEntries([...inPath, ...searchParams]);
}

describe('the id of the brief that a ticker shows', () => {
  test('is in the answer that has its price', async () => {
    const { status, all } = await seen('/v1/stocks/AAPL/capital-change-brief', {
      authorization: `Bearer ${key}`,
    });
    expect([status, all.includes(shown)]).toEqual([200, true]);
  });

  test.each(CALLS.filter(({ name }) => name !== BOUGHT))('is not in an answer of $name', async (call) => {
    const { good, name } = call;
    const authorization = `Bearer ${key}`;
    const rest = await seen(good, { authorization });
    expect([rest.status, rest.all.includes(shown)]).toEqual([200, false]);
    for (const more of [{ accept: 'text/csv' }, { 'if-none-match': `W/"${OLD}", W/"${shown.slice(0, 20)}"` }])
      expect((await seen(good, { authorization, ...more })).all).not.toContain(shown);
    for (const text of [{}, { text: 'json' }]) {
      const params = { name, arguments: { ...argumentsOf(call), ...text } };
      const tool = await agent.post(
        { jsonrpc: '2.0', id: JSON.stringify(text), method: 'tools/call', params },
        key,
      );
      expect([tool.status, tool.body.result.isError]).toEqual([200, undefined]);
      expect(JSON.stringify([...tool.headers]) + tool.text).not.toContain(shown);
    }
  });

  test('is worth no less by a brief that says the same: the list of a credit has only ids of other facts', async () => {
    const { all } = await seen('/v1/stocks/AAPL/briefs', { authorization: `Bearer ${key}` });
    expect([OLD, YESTERDAY, shown].map((id) => all.includes(id))).toEqual([true, false, false]);
  });

  test('is on no free page: an older brief leads to the price of the newer one', async () => {
    const old = await seen(`/briefs/${OLD}`);
    expect(old.status).toBe(200);
    expect(old.all).toContain('href="/stocks/AAPL/brief"');
    expect(old.all).toContain('for 10 credits');
    const paths = [`/briefs/${OLD}`, `/briefs/${OLD}.json`, `/briefs/${OLD}/diff/${OLD}`];
    const others = [
      '/',
      '/stocks/AAPL',
      '/stocks/AAPL/brief',
      '/status',
      '/docs',
      '/sitemap.xml',
      '/llms.txt',
    ];
    for (const path of [...paths, ...others]) {
      for (const how of [{}, { method: 'HEAD' }, { 'if-none-match': '*' }]) {
        expect([path, (await seen(path, how)).all.includes(shown)]).toEqual([path, false]);
      }
    }
  });

  test('is in no resource, and in no refusal of the call that has its price', async () => {
    const read = {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: `tidemark://briefs/${OLD}` },
    };
    const resource = await agent.post(read, key);
    expect([resource.text.includes(OLD), resource.text.includes(shown)]).toEqual([true, false]);
    const { key: poor } = await agent.stage.newKey(9);
    const path = '/v1/stocks/AAPL/capital-change-brief';
    for (const headers of [
      { authorization: `Bearer ${poor}` },
      { authorization: `Bearer ${poor}`, 'if-none-match': `W/"${shown}"` },
      { authorization: `Bearer ${key}`, method: 'HEAD' },
      {},
    ]) {
      const { status, all } = await seen(path, headers);
      expect([status >= 400, all.includes(shown)]).toEqual([true, false]);
    }
  });
});
