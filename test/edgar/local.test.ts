import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type LocalEdgar,
  type LocalEdgarOptions,
  serveLocalEdgar,
} from '../../packages/local-edgar/serve.ts';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import { isClosedSubmission } from '../../src/edgar/client/judge.ts';
import { type EdgarClient, openEdgarClient } from '../../src/edgar/client/open.ts';
import { type DailyIndex, parseMasterIndex } from '../../src/edgar/listing/daily-index.ts';
import { isPastTheEnd, type PreviousPage, parseFeed } from '../../src/edgar/listing/feed.ts';
import { parseCompanyTickers } from '../../src/edgar/reference/company-tickers.ts';
import { readFailsFile } from '../../src/edgar/reference/fails.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { corpusFile } from './fixture.ts';

const CORPUS = fileURLToPath(new URL('../../demo/corpus', import.meta.url));
const BERKSHIRE = '0001067983' as Cik;
/** Berkshire's report for 2018-09-30, filed on 2018-11-14, and the next one. */
const BUSY_DAY = '2018-11-14' as IsoDate;
const SEPTEMBER = '0000950123-18-011885' as Accession;
const DECEMBER = '0000950123-19-002221' as Accession;

const world = opened(openWorld);
const servers: LocalEdgar[] = [];
const clients: EdgarClient[] = [];
const folders: string[] = [];

async function edgar(options: LocalEdgarOptions): Promise<{ server: LocalEdgar; client: EdgarClient }> {
  const server = await serveLocalEdgar(options);
  servers.push(server);
  const prefix = `${world.config.queuePrefix}-${server.port}`;
  const bucket = openEdgarBucket({ redis: world.queue, prefix, requestsPerSecond: 10_000 });
  const client = openEdgarClient({ baseUrl: server.url, userAgent: undefined, bucket });
  clients.push(client);
  return { server, client };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tidemark-edgar-'));
  folders.push(dir);
  return dir;
}

/** Pages through the feed as a poller does, to the 503 past its end. */
async function pageThrough(client: EdgarClient, type: string): Promise<Map<Accession, string>> {
  const seen = new Map<Accession, string>();
  let previous: PreviousPage | null = null;
  for (let start = 0; ; start += 100) {
    try {
      const page = parseFeed((await client.fetchCurrentFeed({ type, start, count: 100 })).bytes);
      const allKnown = page.entries.every((entry) => seen.has(entry.accession));
      for (const entry of page.entries) seen.set(entry.accession, entry.form);
      previous = { requested: 100, entryCount: page.entryCount, allKnown };
      if (page.entryCount < 100) return seen;
    } catch (error) {
      if (isPastTheEnd(start, previous)) return seen;
      throw error;
    }
  }
}

function countOf(forms: readonly string[]): Record<string, number> {
  return Object.fromEntries(forms.map((form) => [form, forms.filter((other) => other === form).length]));
}

/** Every day of every index, as reconciliation reads them. */
async function allIndexes(client: EdgarClient): Promise<DailyIndex[]> {
  const indexes: DailyIndex[] = [];
  for (const year of await client.listYears()) {
    for (const quarter of [1, 2, 3, 4]) {
      for (const day of await client.listDailyIndexes(year, quarter)) {
        indexes.push(parseMasterIndex((await client.fetchDailyIndex(day)).bytes));
      }
    }
  }
  return indexes;
}

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.close()));
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

describe('a local EDGAR over the corpus', () => {
  it('lists the same filings in its feed and in its daily indexes, and serves each of them whole', async () => {
    const { client } = await edgar({ dir: CORPUS });
    const fed = await pageThrough(client, '');
    const indexes = await allIndexes(client);
    const rows = indexes.flatMap((index) => index.rows);
    expect(fed.size).toBe(202);
    expect(new Set(rows.map((row) => row.accession))).toEqual(new Set(fed.keys()));
    expect(indexes.every((index) => index.isSelection)).toBe(true);
    expect(countOf([...fed.values()])).toEqual({ '13F-HR': 64, '13F-NT': 2, '4': 131, '4/A': 5 });
    for (const row of rows) {
      const { bytes } = await client.fetchSubmission(row.cik, row.accession);
      expect(isClosedSubmission(bytes), row.accession).toBe(true);
    }
  });

  it('filters its feed by the prefix of the form, as EDGAR does', async () => {
    const { client } = await edgar({ dir: CORPUS });
    const forms = new Set((await pageThrough(client, '13F-HR')).values());
    expect(forms).toEqual(new Set(['13F-HR']));
    expect(new Set((await pageThrough(client, '4')).values())).toEqual(new Set(['4', '4/A']));
  });

  it('serves the original bytes under both paths of the archive', async () => {
    const { server, client } = await edgar({ dir: CORPUS });
    const bytes = corpusFile(`filings/${SEPTEMBER}.txt`);
    expect((await client.fetchSubmission(BERKSHIRE, SEPTEMBER)).bytes.equals(bytes)).toBe(true);
    const nested = `${server.url}/Archives/edgar/data/1067983/${SEPTEMBER.replaceAll('-', '')}/${SEPTEMBER}.txt`;
    const answer = await fetch(nested, { headers: { 'user-agent': 'Test' } });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('serves company tickers and fails files found anywhere below the folder', async () => {
    const { client } = await edgar({ dir: CORPUS });
    expect(parseCompanyTickers((await client.fetchCompanyTickers()).bytes)).toHaveLength(9_610);
    const names = await client.listFailsFiles();
    expect(names).toEqual(['cnsfails201901a.zip', 'cnsfails201912b.zip']);
    const fails = await readFailsFile((await client.fetchFailsFile('cnsfails201901a.zip')).bytes);
    expect(fails).toHaveLength(9_566);
  });
});

describe('with an as-of date', () => {
  it('a filing filed later does not exist: not in the feed, not in the index, not in the archive', async () => {
    const asOf = '2018-11-30' as IsoDate;
    const { client } = await edgar({ dir: CORPUS, asOf });
    const fed = await pageThrough(client, '');
    expect(fed.has(SEPTEMBER)).toBe(true);
    expect(fed.has(DECEMBER)).toBe(false);
    expect(fed.size).toBeLessThan(202);
    const dates = (await allIndexes(client)).flatMap((index) => index.rows.map((row) => row.filedDate));
    expect(dates.filter((date) => date > asOf)).toEqual([]);
    await expect(client.fetchSubmission(BERKSHIRE, DECEMBER)).rejects.toMatchObject({
      code: 'edgar_not_found',
    });
  });

  it('the newest filing stands first in the feed, and the day of the date itself still counts', async () => {
    const { client } = await edgar({ dir: CORPUS, asOf: '2018-11-14' as IsoDate });
    const { bytes } = await client.fetchCurrentFeed({ type: '', start: 0, count: 100 });
    const page = parseFeed(bytes);
    expect(page.entries[0]).toMatchObject({ filedDate: '2018-11-14' });
    expect(page.entries.some((entry) => entry.accession === SEPTEMBER)).toBe(true);
    expect(bytes.toString('latin1')).toContain('<updated>2018-11-14T16:04:59-05:00</updated>');
  });
});

it('a listing that did not change is not sent again', async () => {
  const { client } = await edgar({ dir: CORPUS });
  const page = { type: '4', start: 0, count: 100 } as const;
  const [feed, index] = [await client.fetchCurrentFeed(page), await client.fetchDailyIndex(BUSY_DAY)];
  const unchanged = { code: 'edgar_not_modified' };
  await expect(client.fetchCurrentFeed(page, feed)).rejects.toMatchObject(unchanged);
  await expect(client.fetchDailyIndex(BUSY_DAY, index)).rejects.toMatchObject(unchanged);
  // The answer of another address says nothing of this one.
  expect((await client.fetchDailyIndex(BUSY_DAY, { ...index, url: feed.url })).bytes).toEqual(index.bytes);
  const older = { ...index, headers: { etag: '"older"', lastModified: null } };
  expect((await client.fetchDailyIndex(BUSY_DAY, older)).bytes).toEqual(index.bytes);
});

describe('an answer that is no document', () => {
  it('a day without filings is AccessDenied, a page past the end 503, an undeclared client 403', async () => {
    const { server, client } = await edgar({ dir: CORPUS });
    await expect(client.fetchDailyIndex('2018-11-22' as IsoDate)).rejects.toMatchObject({
      code: 'edgar_no_index',
    });
    expect(await client.listDailyIndexes(1999, 1)).toEqual([]);
    const past = client.fetchCurrentFeed({ type: '', start: 5_100, count: 100 });
    await expect(past).rejects.toMatchObject({ code: 'edgar_unavailable' });
    const bare = await fetch(`${server.url}/files/company_tickers.json`, { headers: { 'user-agent': '' } });
    expect(bare.status).toBe(403);
    expect(await bare.text()).toContain('Undeclared Automated Tool');
  });

  it.each([
    '/Archives/edgar/data/1067983/../../../../etc/passwd',
    '/Archives/edgar/data/1/..%2f..%2fREADME.md',
    '/files/PROVENANCE.tsv',
    '/',
  ])('%s is 404', async (path) => {
    const { server } = await edgar({ dir: CORPUS });
    const answer = await fetch(`${server.url}${path}`, { headers: { 'user-agent': 'Test' } });
    expect(answer.status).toBe(404);
  });

  it('refuses to serve a missing folder, or on a port that is taken', async () => {
    await expect(serveLocalEdgar({ dir: join(CORPUS, 'nowhere') })).rejects.toThrow('not a folder');
    const { server } = await edgar({ dir: CORPUS });
    await expect(serveLocalEdgar({ dir: CORPUS, port: server.port })).rejects.toThrow(
      `${server.port} is in use`,
    );
  });
});

describe('a folder with broken and foreign files', () => {
  it('lists broken files by their names, skips other files, and serves the first of two copies', async () => {
    const dir = folder();
    mkdirSync(join(dir, 'b'));
    const whole = corpusFile(`filings/${SEPTEMBER}.txt`);
    copyFileSync(join(CORPUS, `filings/${SEPTEMBER}.txt`), join(dir, 'a.txt'));
    copyFileSync(join(CORPUS, `filings/${SEPTEMBER}.txt`), join(dir, 'b', 'again.txt'));
    writeFileSync(join(dir, `${DECEMBER}.txt`), whole.subarray(0, 30_000));
    writeFileSync(
      join(dir, '0001209191-20-000001.txt'),
      '<!DOCTYPE html><html>Request Rate Threshold Exceeded</html>',
    );
    writeFileSync(join(dir, '0001209191-20-000002.txt'), '');
    writeFileSync(join(dir, 'notes.txt'), 'these are notes, not <SEC-DOCUMENT>');
    const { server, client } = await edgar({ dir });

    const fed = await pageThrough(client, '');
    const broken = [DECEMBER, '0001209191-20-000001', '0001209191-20-000002'] as Accession[];
    expect([...fed.keys()].sort()).toEqual([SEPTEMBER, ...broken].sort());
    const undated = broken
      .slice(1)
      .map((name) => `${name}.txt has no filing date: listed on the first that it can have`);
    expect(server.folder().warnings).toEqual([
      ...undated,
      `${join('b', 'again.txt')} has the accession of a.txt: left out`,
    ]);
    for (const accession of broken) {
      const { bytes } = await client.fetchSubmission(BERKSHIRE, accession);
      expect(isClosedSubmission(bytes), accession).toBe(false);
    }
  });

  it('lists a submission in UTF-16 under its own date, although it cannot be read', async () => {
    const dir = folder();
    const whole = corpusFile(`filings/${SEPTEMBER}.txt`).toString('latin1');
    writeFileSync(join(dir, `${SEPTEMBER}.txt`), Buffer.from(`\ufeff${whole}`, 'utf16le'));
    const { server } = await edgar({ dir });
    expect(server.folder().filings).toMatchObject([
      { accession: SEPTEMBER, form: '13F-HR', filedDate: BUSY_DAY, parties: [{ cik: BERKSHIRE }] },
    ]);
  });

  it('lists a file without any date in its header on the first day that it can have', async () => {
    const dir = folder();
    const bodies = {
      '0001209191-20-000001': '',
      '0001209191-20-000002': '<n1:reportCalendarOrQuarter>06-30-2020</n1:reportCalendarOrQuarter>',
      '0001209191-20-000003': '<ownershipDocument><periodOfReport>2020-05-04</periodOfReport>',
      '0001209191-20-000004': '<periodOfReport>12-31-2019</periodOfReport>',
      '0001209191-20-000005': '<periodOfReport>06-30-2026</periodOfReport>',
    };
    for (const [name, text] of Object.entries(bodies)) writeFileSync(join(dir, `${name}.txt`), text);
    const { server } = await edgar({ dir });
    const days = server.folder().filings.map(({ accession, filedDate }) => [accession.slice(-1), filedDate]);
    expect(Object.fromEntries(days)).toEqual({
      1: '2020-01-01',
      2: '2020-07-01',
      3: '2020-05-04',
      4: '2020-01-01',
      5: '2020-01-01',
    });
  });

  it('shows files that were added after a rescan', async () => {
    const dir = folder();
    const { server, client } = await edgar({ dir });
    expect((await pageThrough(client, '')).size).toBe(0);
    copyFileSync(join(CORPUS, `filings/${SEPTEMBER}.txt`), join(dir, 'later.txt'));
    await server.rescan();
    expect([...(await pageThrough(client, '')).keys()]).toEqual([SEPTEMBER]);
  });
});
