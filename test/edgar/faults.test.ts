import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { FAULT_NAMES, FAULTS, type Fault, type FaultPlan } from '../../packages/local-edgar/faults.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../packages/local-edgar/serve.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import { type EdgarClient, openEdgarClient } from '../../src/edgar/client/open.ts';
import { parseMasterIndex } from '../../src/edgar/listing/daily-index.ts';
import { parseFeed } from '../../src/edgar/listing/feed.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { corpusFile } from './fixture.ts';

const CORPUS = fileURLToPath(new URL('../../demo/corpus/filings', import.meta.url));
const BERKSHIRE = '0001067983' as Cik;
const REPORT = '0000950123-18-011885' as Accession;
const DAY = '2018-11-14' as IsoDate;
const PAGE = { type: '', start: 0, count: 100 } as const;

const world = opened(openWorld);
const running: { close: () => Promise<void> }[] = [];

async function misbehaving(faults: FaultPlan): Promise<{ edgar: LocalEdgar; client: EdgarClient }> {
  const edgar = await serveLocalEdgar({ dir: CORPUS, faults });
  const bucket = openEdgarBucket({
    redis: world.queue,
    prefix: `${world.config.queuePrefix}-${edgar.port}`,
    requestsPerSecond: 10_000,
    blockSeconds: 0.05,
  });
  const client = openEdgarClient({ baseUrl: edgar.url, userAgent: undefined, bucket });
  running.push(client, edgar);
  return { edgar, client };
}

/** The first answer has the fault, the second has none. */
const once = (fault: Fault): FaultPlan => ({ seed: 1, shares: { [fault]: 1 }, timesPerPath: 1 });

afterAll(async () => {
  for (const one of running) await one.close();
});

describe('each fault is an error that a retry survives', () => {
  const CODES: Partial<Record<Fault, string>> = {
    block_page: 'edgar_blocked',
    too_many_requests: 'edgar_blocked',
    unavailable: 'edgar_unavailable',
    html_page: 'edgar_html',
    reset: 'edgar_unavailable',
    wrong_length: 'edgar_unavailable',
  };
  it.each(Object.entries(CODES))('%s is %s', async (fault, code) => {
    const { edgar, client } = await misbehaving(once(fault as Fault));
    await expect(client.fetchCurrentFeed(PAGE)).rejects.toMatchObject({ code, retry: true });
    expect(edgar.requests().faults).toEqual({ [fault]: 1 });
    const again = async () => parseFeed((await client.fetchCurrentFeed(PAGE)).bytes).entryCount;
    await expect.poll(() => again().catch(() => 0)).toBe(100);
  });

  it('a submission is whole in the end, and an HTML page never takes its place', async () => {
    const { client } = await misbehaving({ seed: 3, shares: { html_page: 1 }, timesPerPath: 3 });
    await expect(client.fetchSubmission(BERKSHIRE, REPORT)).rejects.toMatchObject({
      code: 'edgar_truncated',
    });
    const { bytes } = await client.fetchSubmission(BERKSHIRE, REPORT);
    expect(bytes.equals(corpusFile(`filings/${REPORT}.txt`))).toBe(true);
  });

  it('a slow answer is late and whole', async () => {
    const { client } = await misbehaving(once('slow'));
    const from = performance.now();
    expect(parseFeed((await client.fetchCurrentFeed(PAGE)).bytes).entryCount).toBe(100);
    expect(performance.now() - from).toBeGreaterThan(800);
  });
});

describe('a listing', () => {
  it('that is cut is refused, and one without rows is read as empty', async () => {
    const cut = await misbehaving(once('truncated_index'));
    const { bytes } = await cut.client.fetchDailyIndex(DAY);
    expect(() => parseMasterIndex(bytes)).toThrow('cannot be read');
    expect(parseMasterIndex((await cut.client.fetchDailyIndex(DAY)).bytes).rows.length).toBeGreaterThan(0);
    const empty = await misbehaving(once('empty_index'));
    expect(parseMasterIndex((await empty.client.fetchDailyIndex(DAY)).bytes).rows).toEqual([]);
  });

  it('omits and repeats the same filings on every page', async () => {
    const { edgar, client } = await misbehaving({
      seed: 1,
      shares: { omitted_entry: 0.05, repeated_entry: 0.1 },
    });
    const pages = [await client.fetchCurrentFeed(PAGE), await client.fetchCurrentFeed(PAGE)];
    expect(pages[0]?.bytes.equals(pages[1]?.bytes ?? Buffer.alloc(0))).toBe(true);
    const { omitted_entry: omitted = 0, repeated_entry: repeated = 0 } = edgar.requests().faults;
    expect(Math.min(omitted, repeated)).toBeGreaterThan(0);
    expect(omitted + repeated).toBeLessThan(edgar.folder().filings.length);
    const title = /urn:tag[^<]+/g;
    const named = pages[0]?.bytes.toString('latin1').match(title) ?? [];
    expect(new Set(named).size).toBeLessThan(named.length);
  });
});

it('requests are counted by kind and by second', async () => {
  let now = new Date('2026-01-05T12:00:00.000Z');
  const edgar = await serveLocalEdgar({ dir: CORPUS, now: () => now });
  running.push(edgar);
  const ask = (path: string) => fetch(`${edgar.url}${path}`, { headers: { 'user-agent': 'Test' } });
  await ask('/cgi-bin/browse-edgar?action=getcurrent');
  await ask('/Archives/edgar/daily-index/index.json');
  now = new Date('2026-01-05T12:00:01.500Z');
  for (const path of [
    '/Archives/edgar/daily-index/2018/QTR4/master.20181114.idx',
    '/files/x',
    '//',
    '/files/y',
  ])
    await ask(path);
  expect(edgar.requests()).toMatchObject({
    byKind: { feed: 1, listing: 1, index: 1, reference: 3 },
    total: 6,
    busiestSecond: 4,
    faults: {},
  });
});

it('every fault says what it does and where', () => {
  for (const fault of FAULT_NAMES) expect(FAULTS[fault].of.length, fault).toBeGreaterThan(0);
});
