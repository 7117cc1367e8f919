/**
 * What strangers without a key cost a customer: the warm brief of one customer, a hundred calls a second, alone and
 * beside 60 connections that read pages of briefs as fast as they can, from one address and from sixty. All take
 * turns in one run; compare the ratios. `npm run bench:strangers [-- rounds]`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Db } from 'mongodb';
import type { Ticker } from '../src/domain/ids.ts';
import { SAMPLE } from '../src/site/sample.ts';
import { saveBrief } from '../src/store/publish/briefs.ts';
import { SUMMARY } from '../test/api/corpus.ts';
import { PATH, seedBenchBrief } from './brief-bytes.ts';
import { withBenchCustomer } from './customer.ts';
import { report } from './goals.ts';
import { load } from './load.ts';
import { median } from './median.ts';

const CONNECTIONS = 60;
const SECONDS = 10;
const PERIOD_MS = 10;
const BRIEFS = 20;
const SCRIPT = fileURLToPath(new URL('strangers.lua', import.meta.url));

/** Of the strangers; 0: there are none. */
const ADDRESSES = [0, 1, CONNECTIONS] as const;
type Slice = {
  readonly addresses: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
};

const rounds = Number(process.argv[2] ?? 5);

await withBenchCustomer(async ({ db, key, env }) => {
  await seedBenchBrief(db);
  const pages = await seedPages(db);
  const child = fork(fileURLToPath(new URL('brief-server.ts', import.meta.url)), ['tidemark'], {
    execArgv: ['--import', import.meta.resolve('../src/typescript.mjs')],
    env: { ...env, TRUST_PROXY: '1' },
  });
  try {
    const [port] = (await once(child, 'message')) as [number];
    const origin = `http://127.0.0.1:${port}`;
    const slices: Slice[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const addresses of ADDRESSES) {
        const slice = await besideStrangers(origin, { key, addresses, pages });
        if (round > 0) slices.push(slice);
      }
    }
    tell(slices);
  } finally {
    child.kill('SIGTERM');
  }
});

/** Briefs as answered, and the addresses of their pages, their bytes and what changed between them. */
async function seedPages(db: Db): Promise<string[]> {
  const ids = Array.from({ length: BRIEFS }, (_, at) => `ccm_${String(at + 1).padStart(64, '0')}`);
  for (const brief_id of ids) {
    const body = Buffer.from(JSON.stringify({ data: { ...SAMPLE, brief_id } }));
    await saveBrief(db, {
      _id: brief_id,
      ticker: 'AAPL' as Ticker,
      body,
      evidence: [],
      generatedAt: SAMPLE.generated_at,
      summary: SUMMARY,
    });
  }
  return ids.flatMap((id) => [`/briefs/${id}`, `/briefs/${id}.json`, `/briefs/${id}/diff/${ids[0]}`]);
}

type Beside = { readonly key: string; readonly addresses: number; readonly pages: readonly string[] };

async function besideStrangers(origin: string, { key, addresses, pages }: Beside): Promise<Slice> {
  const args = [String(addresses), ...pages] as const;
  const asking = { url: origin, headers: {}, connections: CONNECTIONS, seconds: SECONDS };
  const strangers = addresses === 0 ? null : load({ ...asking, script: [SCRIPT, ...args] });
  const calls = await callsFor(SECONDS, `${origin}${PATH}`, key);
  const asked = await strangers;
  if (asked !== null)
    console.log(`strangers of ${addresses}: ${asked.calls} answers, ${asked.refused} refused`);
  const ms = calls.map((call) => call.ms).sort((a, b) => a - b);
  const at = (share: number) => ms[Math.floor(ms.length * share)] ?? Number.NaN;
  const refused = calls.filter(({ isRefused }) => isRefused).length;
  return { addresses, p50: at(0.5), p99: at(0.99), refused };
}

/** Begins a call every so often, whether the last one was answered or not. */
async function callsFor(seconds: number, url: string, key: string) {
  const calls: ReturnType<typeof timed>[] = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    calls.push(timed(url, key));
    await sleep(PERIOD_MS);
  }
  return Promise.all(calls);
}

async function timed(url: string, key: string) {
  const begun = performance.now();
  const answer = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': '198.51.100.1' },
  });
  await answer.arrayBuffer();
  return { ms: performance.now() - begun, isRefused: !answer.ok };
}

function tell(slices: readonly Slice[]): void {
  console.table(slices);
  const of = (addresses: number, take: (slice: Slice) => number): number =>
    median(slices.filter((slice) => slice.addresses === addresses).map(take));
  const beside = (n: number) => `${CONNECTIONS} connections of ${n === 1 ? 'one address' : `${n} addresses`}`;
  report('strangers', [
    { what: 'p99 of the warm brief alone, ms', value: of(0, ({ p99 }) => p99) },
    ...ADDRESSES.slice(1).flatMap((addresses) => [
      {
        what: `warm brief beside strangers, ${beside(addresses)}: p99 over alone`,
        value: of(addresses, ({ p99 }) => p99) / of(0, ({ p99 }) => p99),
        atMost: 2,
      },
      { what: `the same: refused calls`, value: of(addresses, ({ refused }) => refused), atMost: 0 },
    ]),
  ]);
}
