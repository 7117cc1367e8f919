import { gunzipSync, gzipSync } from 'node:zlib';
import { Binary, BSON, type Db, type Document } from 'mongodb';
import type { Line } from '../../src/sandbox/data.ts';

/** What only the pipeline reads: bytes as fetched, rows as filed, invalidations, progress and intermediate results. */
const PIPELINE_ONLY: ReadonlySet<string> = new Set([
  ...['raw', 'raw_parts', 'filing_rows', 'invalidations', 'index_days', 'held_cusips'],
  ...['leaderboard_quarters', 'search_holders', 'holder_facts'],
]);

/** The settings that the API reads. */
const SETTINGS = ['as_of', 'peers_method'];

/** When the run began, and the time that replaces its times. */
type Run = { readonly from: number; readonly as: string };

/**
 * Every document that the API may read, as lines sorted by collection and content. They do not depend
 * on the time of the run, so the same filings give the same lines.
 */
export async function exportLines(db: Db, run: Run): Promise<string> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray())
    .map(({ name }) => name)
    .filter((name) => !PIPELINE_ONLY.has(name) && !name.startsWith('system.'));
  const lines: string[] = [];
  for (const name of names.sort()) {
    const read = name === 'settings' ? { _id: { $in: SETTINGS as never[] } } : {};
    const docs = await db.collection(name).find(read).toArray();
    lines.push(...docs.map((doc) => lineOf(name, timeless(doc, run) as Document)).sort());
  }
  return lines.map((line) => `${line}\n`).join('');
}

function lineOf(name: string, doc: Document): string {
  const line: Line = { in: name, doc: BSON.EJSON.serialize(doc, { relaxed: false }) };
  return JSON.stringify(line);
}

/** Another one in each run, for processes that write: nothing writes what the sandbox shows. */
const STAMP = 'stamp';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;

function timeless(value: unknown, run: Run): unknown {
  if (typeof value === 'string') return timelessText(value, run);
  if (value instanceof Binary) return timelessBinary(value, run);
  if (Array.isArray(value)) return value.map((one) => timeless(one, run));
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return value;
  const kept = Object.entries(value).filter(([name]) => name !== STAMP);
  return Object.fromEntries(kept.map(([name, one]) => [name, timeless(one, run)]));
}

/** Leases end after the run, filings are older than it. */
function timelessText(text: string, { from, as }: Run): string {
  return text.replace(TIME, (time) => (Date.parse(time) < from ? time : as));
}

/** Gzipped text, or text as it is. */
function timelessBinary(binary: Binary, run: Run): Binary {
  const bytes = Buffer.from(binary.buffer);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (isGzip ? gunzipSync(bytes) : bytes).toString('utf8');
  const replaced = Buffer.from(timelessText(text, run));
  return new Binary(isGzip ? gzipSync(replaced, { level: 9 }) : replaced);
}
