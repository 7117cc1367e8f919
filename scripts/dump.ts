import { createWriteStream } from 'node:fs';
import { loadConfig } from '../src/config.ts';
import { canonicalJson, sha256Hex } from '../src/domain/canonical.ts';
import { type ServedApi, serveCorpus } from './corpus/serve.ts';
import { fetchPatiently } from './fetch-patiently.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run dump -- OUT [FOLDER:DAY ...]` writes a line for each answer of the API over the bundled filings on nine
 * days: day, address, status, and a digest of the body without times. A change that means to change no answer is
 * proven by two equal files. `WITH=<part of an address>` writes the bodies of these in place of their digests.
 */
const [out = 'dump.txt', ...asked] = process.argv.slice(2);
const DAYS = [
  ...['2016-03-31', '2018-11-30', '2019-02-20', '2019-08-20', '2020-03-31'].map(
    (day) => `demo/corpus:${day}`,
  ),
  ...['2022-08-31', '2022-11-30', '2023-02-28', '2023-05-31'].map((day) => `demo/quarter:${day}`),
];
const AT_A_TIME = 8;
const PAGE = 500;
const SHORT_PAGE = 100;
/** When a brief was built, and in which order filings got their numbers, is no part of an answer. */
const LEFT_OUT: ReadonlySet<string> = new Set(['generated_at', 'seq', 'next_cursor', 'retrieved_at']);
const SEARCHES = ['berkshire', 'apple', 'AMZN', 'capital', 'green', '0001067983', 'holdings inc'];

/** What this program reads of an answer. */
type Data = { readonly holdings?: readonly { ticker: string | null }[]; readonly brief_id?: string };
type Get = (path: string) => Promise<Data>;

const { WITH: whole } = process.env as { readonly WITH?: string };

const file = createWriteStream(out);
for (const source of asked.length > 0 ? asked : DAYS) {
  const [folder = '', day = ''] = source.split(':');
  await withTemporaryFolder('dump', async (home) => {
    const config = loadConfig({
      ...process.env,
      TIDEMARK_HOME: home,
      TIDEMARK_AS_OF: day,
      RATE_LIMIT_PER_SECOND: '0',
    });
    const served = await serveCorpus(config, 'https://tidemark.example', { folder, day });
    try {
      for (const line of await linesOf(served)) file.write(`${day} ${line}\n`);
    } finally {
      await served.close();
    }
  });
}
file.end();

async function linesOf(served: ServedApi): Promise<string[]> {
  const key = await served.newKey('Dump', 100_000_000);
  const lines: string[] = [];
  const get: Get = async (path) => {
    const answer = await fetchPatiently(`${served.origin}/v1${path}`, `Bearer ${key}`);
    const body = (await answer.json()) as { readonly data?: Data };
    const text = canonicalJson(comparable(body));
    const isWhole = whole !== undefined && path.includes(whole);
    lines.push(`${path} ${answer.status} ${isWhole ? text : sha256Hex(text).slice(0, 24)}`);
    return body.data ?? {};
  };
  const { ciks, tickers } = await everybody(get);
  await each(ciks, (cik) => get(`/funds/${cik}`));
  await each(tickers, (ticker) => askOf(get, ticker));
  for (const words of SEARCHES) await get(`/search?q=${encodeURIComponent(words)}`);
  await get(`/insider/transactions?limit=${SHORT_PAGE}`);
  await get('/copy/leaderboard?limit=100');
  return lines.sort();
}

/** Every manager, and every ticker of its newest report. */
async function everybody(get: Get) {
  const ciks = ((await get(`/funds?limit=${SHORT_PAGE}`)) as readonly { cik: string }[]).map(
    ({ cik }) => cik,
  );
  const tickers = new Set<string>();
  for (const cik of ciks) {
    for (let page = 1, isLast = false; !isLast; page += 1) {
      const { holdings = [] } = await get(`/funds/${cik}/holdings?limit=${PAGE}&page=${page}`);
      for (const { ticker } of holdings) if (ticker !== null) tickers.add(ticker);
      isLast = holdings.length < PAGE;
    }
  }
  return { ciks, tickers: [...tickers].sort() };
}

async function askOf(get: Get, ticker: string): Promise<void> {
  const stock = `/stocks/${encodeURIComponent(ticker)}`;
  await get(`${stock}?limit=${SHORT_PAGE}`);
  await get(`${stock}/history?quarters=8`);
  await get(`/insider/transactions?ticker=${encodeURIComponent(ticker)}&limit=${SHORT_PAGE}`);
  const { brief_id: id } = await get(`${stock}/capital-change-brief`);
  if (id !== undefined) await get(`/briefs/${id}/evidence?limit=${PAGE}`);
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const rest = [...all];
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

function comparable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(comparable);
  if (node === null || typeof node !== 'object') return node;
  const kept = Object.entries(node).filter(([name]) => !LEFT_OUT.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, comparable(value)]));
}
