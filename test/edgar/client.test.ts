import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Accession, Cik, IsoDate } from '../../src/domain/ids.ts';
import { type EdgarBucket, openEdgarBucket } from '../../src/edgar/client/bucket.ts';
import type { Caps } from '../../src/edgar/client/exchange.ts';
import { type EdgarClient, openEdgarClient } from '../../src/edgar/client/open.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { corpusFile, fixture } from './fixture.ts';
import { type ScriptedServer, scriptedServer } from './scripted-server.ts';

const CIK = '0000807249' as Cik;
const ACCESSION = '0001567619-20-004048' as Accession;
const SUBMISSION = corpusFile(`filings/${ACCESSION}.txt`);
const PAGE = fixture('getcurrent-05100-503.html');

const world = opened(openWorld);
let server: ScriptedServer;
let bucket: EdgarBucket;
const clients: EdgarClient[] = [];

function client(caps: Partial<Caps> = {}): EdgarClient {
  const made = openEdgarClient({ baseUrl: server.url, userAgent: 'Test test@example.com', bucket, caps });
  clients.push(made);
  return made;
}

const send = (response: ServerResponse, status: number, body: Buffer | string, headers = {}): void => {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
};

beforeAll(async () => {
  server = await scriptedServer();
  bucket = openEdgarBucket({
    redis: world.queue,
    prefix: world.config.queuePrefix,
    requestsPerSecond: 1_000,
  });
});

afterAll(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await server.close();
});

describe('a submission', () => {
  it('is returned as bytes with hash, URL and headers; the request has ids and a declared name', async () => {
    server.play((_, response) =>
      send(response, 200, SUBMISSION, { etag: '"x"', 'last-modified': 'yesterday' }),
    );
    const answer = await client().fetchSubmission(CIK, ACCESSION);
    expect(answer.bytes.equals(SUBMISSION)).toBe(true);
    expect(answer.sha256).toBe(createHash('sha256').update(SUBMISSION).digest('hex'));
    expect(answer.headers).toEqual({ etag: '"x"', lastModified: 'yesterday' });
    const asked = server.requests.at(-1);
    expect(asked?.url).toBe(`/Archives/edgar/data/807249/${ACCESSION}.txt`);
    expect(asked?.headers).toMatchObject({
      'user-agent': 'Test test@example.com',
      'accept-encoding': 'gzip',
    });
  });

  it('is inflated when it comes gzipped, and its hash is that of the inflated bytes', async () => {
    server.play((_, response) => send(response, 200, gzipSync(SUBMISSION), { 'content-encoding': 'gzip' }));
    expect((await client().fetchSubmission(CIK, ACCESSION)).bytes.equals(SUBMISSION)).toBe(true);
  });

  it('that arrives cut is requested again and accepted when it is whole', async () => {
    server.play((_, response, count) =>
      send(response, 200, count === 1 ? SUBMISSION.subarray(0, 9_000) : SUBMISSION),
    );
    expect((await client().fetchSubmission(CIK, ACCESSION)).bytes.equals(SUBMISSION)).toBe(true);
  });

  it('that differs both times and is never closed is not accepted', async () => {
    server.play((_, response, count) => send(response, 200, SUBMISSION.subarray(0, 9_000 + count)));
    await expect(client().fetchSubmission(CIK, ACCESSION)).rejects.toMatchObject({
      code: 'edgar_truncated',
      retry: true,
    });
  });

  it('that EDGAR itself holds cut is returned as it is, for the archive and quarantine', async () => {
    server.play((_, response) => send(response, 200, SUBMISSION.subarray(0, 9_000)));
    expect((await client().fetchSubmission(CIK, ACCESSION)).bytes).toHaveLength(9_000);
  });
});

describe('an answer that is not the document', () => {
  it.each([
    [404, PAGE, 'edgar_not_found', true],
    [503, PAGE, 'edgar_unavailable', true],
    [200, PAGE, 'edgar_html', true],
    [403, 'no reason', 'edgar_refused', true],
    [403, '<!DOCTYPE html><title>Undeclared Automated Tool</title>', 'edgar_undeclared', false],
  ] as const)('of status %i is %3$s', async (status, body, code, retry) => {
    server.play((_, response) => send(response, status, body));
    const asked = client().fetchCurrentFeed({ type: '4', start: 0, count: 100 });
    await expect(asked).rejects.toMatchObject({ code, retry });
  });

  it('differs from a day without an index, and a quarter without a listing is empty', async () => {
    server.play((_, response) => send(response, 403, '<Error><Code>AccessDenied</Code></Error>'));
    await expect(client().fetchDailyIndex('2018-11-22' as IsoDate)).rejects.toMatchObject({
      code: 'edgar_no_index',
    });
    expect(await client().listDailyIndexes(2018, 4)).toEqual([]);
  });

  it('is a redirect that is never followed', async () => {
    server.play((_, response) => send(response, 302, '', { location: `${server.url}/elsewhere` }));
    await expect(client().fetchCompanyTickers()).rejects.toMatchObject({
      code: 'edgar_redirect',
      retry: false,
    });
    expect(server.requests.at(-1)?.url).toBe('/files/company_tickers.json');
  });
});

describe('a body that cannot be trusted', () => {
  const feed = { type: '4', start: 0, count: 100 } as const;

  it('shorter than its Content-Length is refused', async () => {
    server.play((_, response) => {
      response.writeHead(200, { 'content-length': SUBMISSION.length });
      response.write(SUBMISSION.subarray(0, 20_000), () => response.destroy());
    });
    await expect(client().fetchCurrentFeed(feed)).rejects.toMatchObject({
      code: 'edgar_unavailable',
      retry: true,
    });
  });

  it('whose gzip stream is cut is refused', async () => {
    const cut = gzipSync(SUBMISSION).subarray(0, 10_000);
    server.play((_, response) => send(response, 200, cut, { 'content-encoding': 'gzip' }));
    await expect(client().fetchCurrentFeed(feed)).rejects.toMatchObject({
      code: 'edgar_truncated',
      retry: true,
    });
  });

  it('larger than the limit, sent or inflated, is refused without a retry', async () => {
    server.play((_, response) => send(response, 200, SUBMISSION));
    const small = client({ compressedBytes: 50_000 }).fetchCurrentFeed(feed);
    await expect(small).rejects.toMatchObject({ code: 'edgar_too_large', retry: false });
    server.play((_, response) =>
      send(response, 200, gzipSync(Buffer.alloc(2 ** 24)), { 'content-encoding': 'gzip' }),
    );
    await expect(client().fetchCurrentFeed(feed)).rejects.toMatchObject({
      code: 'edgar_too_large',
      retry: false,
    });
  });

  it('of more than 16 MB is refused where the main thread would read it', async () => {
    const large = Buffer.alloc(16 * 2 ** 20 + 1, 'x');
    server.play((_, response) => send(response, 200, large));
    const own = client();
    const tooLarge = { code: 'edgar_too_large', retry: false };
    await expect(own.fetchCurrentFeed(feed)).rejects.toMatchObject(tooLarge);
    await expect(own.fetchDailyIndex('2018-11-14' as IsoDate)).rejects.toMatchObject(tooLarge);
  });

  it('that is too slow, or whose header is, is given up within its time limit', async () => {
    const limits = { headersMs: 150, bodyMs: 150 };
    server.play(() => undefined);
    await expect(client(limits).fetchCurrentFeed(feed)).rejects.toMatchObject({ code: 'edgar_unavailable' });
    server.play((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    await expect(client(limits).fetchCurrentFeed(feed)).rejects.toMatchObject({ code: 'edgar_unavailable' });
  });
});

describe('the client', () => {
  it('needs a declared name and https for the SEC', () => {
    const without = { userAgent: undefined, bucket };
    for (const baseUrl of ['https://www.sec.gov', 'https://mirror.example.com']) {
      expect(() => openEdgarClient({ ...without, baseUrl })).toThrow('EDGAR_USER_AGENT');
    }
    expect(() => openEdgarClient({ ...without, baseUrl: 'http://www.sec.gov' })).toThrow('https');
  });
});
