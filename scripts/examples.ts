import { writeFileSync } from 'node:fs';
import type { Endpoint } from '../src/api/endpoint/endpoint.ts';
import { ENDPOINTS } from '../src/api/endpoints/index.ts';
import { loadConfig } from '../src/config.ts';
import { type ServedApi, serveCorpus } from './corpus/serve.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run examples` records the answer of each endpoint to its example arguments, shortened for the
 * documentation, and the whole brief for the landing page.
 */
const SITE_URL = 'https://tidemark.example';
const FOLDER = new URL('../src/api/examples/', import.meta.url);
const SAMPLE_BRIEF = new URL('../src/site/sample-brief.json', import.meta.url);
const MAX_ITEMS = 2;
/** The bundled filings have too little history for a ranking. */
const OF_SANDBOX: ReadonlySet<string> = new Set(['copy.leaderboard']);

// A new home, because an old one may answer with what an older version stored.
await withTemporaryFolder('examples', async (home) => {
  const served = await serveCorpus(loadConfig({ ...process.env, TIDEMARK_HOME: home }), SITE_URL);
  try {
    const key = await served.newKey('Example organisation', 1_000);
    const testKey = await served.newKey('Example sandbox', 0, 'test');
    for (const endpoint of ENDPOINTS) {
      await record(served, endpoint, OF_SANDBOX.has(endpoint.name) ? testKey : key);
    }
  } finally {
    await served.close();
  }
});

async function record(from: ServedApi, endpoint: Endpoint, key: string): Promise<void> {
  const answer = await fetch(`${from.origin}/v1${addressOf(endpoint)}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const body: unknown = await answer.json();
  if (answer.status !== 200) {
    throw new Error(`${endpoint.name} answered ${answer.status}: ${JSON.stringify(body).slice(0, 300)}`);
  }
  write(new URL(`${endpoint.name}.json`, FOLDER), shortened(body));
  if (endpoint.name === 'capital_change_brief') write(SAMPLE_BRIEF, (body as { data: unknown }).data);
  console.error(`recorded ${endpoint.name}`);
}

function write(file: URL, content: unknown): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function addressOf(endpoint: Endpoint): string {
  const rest = new Map(Object.entries(endpoint.example));
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '');
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, String(value)]),
  );
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Keeps the first items of each list. Counts and totals stay as they are. */
function shortened(node: unknown): unknown {
  if (Array.isArray(node)) return node.slice(0, MAX_ITEMS).map(shortened);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, shortened(value)]));
}
