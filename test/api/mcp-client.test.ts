import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { opened } from '../opened.ts';
import { openAgent } from './agent.ts';
import { FUND, seed, seedBrief } from './corpus.ts';
import { publish } from './stock-corpus.ts';

const agent = opened(openAgent);
let briefId = '';

beforeAll(async () => {
  await seed(agent.stage.world.mongo.db);
  await publish(agent.stage.world.mongo.db);
  briefId = await seedBrief(agent.stage.world.mongo.db, 'AAPL', 'x');
});

type Mode = 'legacy' | 'auto' | { readonly pin: string };

async function connected(key: string, mode: Mode): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(agent.url), { requestInit }));
  return client;
}

describe.each<[string, Mode, string]>([
  ['of the current revision', { pin: '2026-07-28' }, '2026-07-28'],
  ['that negotiates', 'auto', '2026-07-28'],
  ['of the previous revision', 'legacy', '2025-11-25'],
])('the official client %s', (_name, mode, revision) => {
  test('connects, lists and calls, and its validation of the results passes', async () => {
    const { key } = await agent.stage.newKey(100);
    const client = await connected(key, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'tidemark' });
    expect(client.getInstructions()).toContain('capital_change_brief');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('capital_change_brief');
    const events = await client.callTool({
      name: 'events.latest',
      arguments: { limit: 2, tickers: ['AAPL'] },
    });
    expect(events.isError).toBeUndefined();
    const answered = events.structuredContent as { data: { events: unknown[] }; provenance: object };
    expect(answered.data.events).toHaveLength(2);
    expect(answered.provenance).toMatchObject({ source: 'SEC EDGAR' });
    const brief = await client.callTool({ name: 'capital_change_brief', arguments: { ticker: 'ZZZZ' } });
    expect(brief.structuredContent).toMatchObject({ data: { outcome: 'no_data', requested_ticker: 'ZZZZ' } });
    const balance = await client.callTool({ name: 'credits.balance', arguments: {} });
    expect(balance.structuredContent).toMatchObject({ data: { balance: 89 } });
    await client.close();
  });

  test('reads a failure as a result after it has listed the schemas', async () => {
    const { key } = await agent.stage.newKey(1);
    const client = await connected(key, mode);
    await client.listTools();
    const poor = await client.callTool({ name: 'capital_change_brief', arguments: { ticker: 'AAPL' } });
    expect(poor).toMatchObject({
      isError: true,
      structuredContent: { error: 'insufficient_credits', needed: 10, balance: 1 },
    });
    const missing = await client.callTool({ name: 'fund.get', arguments: { cik: '999' } });
    expect(missing).toMatchObject({ isError: true, structuredContent: { error: 'fund_not_found' } });
    const fund = await client.callTool({ name: 'fund.get', arguments: { cik: FUND } });
    expect(fund.structuredContent).toMatchObject({ data: { cik: FUND } });
    await client.close();
  });

  test('reads a brief again as a resource, free, and how to read one as a prompt', async () => {
    const { key } = await agent.stage.newKey(1);
    const client = await connected(key, mode);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['tidemark://briefs/{brief_id}']);
    expect((await client.listResources()).resources).toEqual([]);
    const uri = `tidemark://briefs/${briefId}`;
    const { contents } = await client.readResource({ uri });
    const paid = await agent.stage.get(`/v1/briefs/${briefId}`, key);
    expect(contents).toEqual([{ uri, mimeType: 'application/json', text: paid.text }]);
    // The last credit is gone, and the resource is still free.
    expect((await client.readResource({ uri })).contents).toEqual(contents);
    const absent = client.readResource({ uri: `tidemark://briefs/ccm_${'0'.repeat(64)}` });
    await expect(absent).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('is stored'),
    });
    const other = client.readResource({ uri: 'file:///etc/passwd' });
    await expect(other).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('uri must be'),
    });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['read_a_brief']);
    const { messages } = await client.getPrompt({ name: 'read_a_brief', arguments: { ticker: 'brk/b' } });
    const text = messages[0]?.content.type === 'text' ? messages[0].content.text : '';
    for (const named of ['"ticker":"BRK.B"', 'headline', 'limitations', 'doubtful', 'brief_id']) {
      expect(text).toContain(named);
    }
    const wrong = client.getPrompt({ name: 'read_a_brief', arguments: { ticker: 'not a ticker' } });
    await expect(wrong).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });

  test('reads bad arguments as a result, and an unknown tool as an error that names the nearest', async () => {
    const { key } = await agent.stage.newKey(1);
    const client = await connected(key, mode);
    await client.listTools();
    const bad = await client.callTool({ name: 'events_latest', arguments: { limit: 0 } });
    expect(bad).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^limit must be 1 to 200, not 0\.\n\{/) }],
    });
    await expect(client.callTool({ name: 'fund.lst', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('you may mean fund.list'),
    });
    await client.close();
  });

  test('with a bad key cannot connect', async () => {
    await expect(connected('tm_live_nonsense', mode)).rejects.toThrow();
  });
});
