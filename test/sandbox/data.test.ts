import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { Db } from 'mongodb';
import { afterAll, describe, expect, test } from 'vitest';
import { buildSandbox } from '../../scripts/sandbox/build.ts';
import { compare } from '../../src/domain/compare.ts';
import type { Cusip } from '../../src/domain/ids.ts';
import { cusipCheckDigitOk } from '../../src/domain/security/cusip.ts';
import { DATA_FILE, type Line, readSandboxData } from '../../src/sandbox/data.ts';
import { fillSandbox, openSandbox, sandboxName } from '../../src/sandbox/open.ts';
import { fundsIn } from '../../src/store/report/funds.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';

const world = opened(openWorld);
const databases: Db[] = [];

afterAll(async () => {
  for (const db of databases) await db.dropDatabase();
});

/** Fields that depend on the order in which jobs ran. No answer reads them. */
const BOOKKEEPING = new Set(['version', 'fence', 'tries', 'previous', 'followersInvalidated']);
/** Lists in the order in which their filings were read. No answer depends on it. */
const SETS = new Set(['spans']);

/** The content of the lines, independent of the zlib version, and of the engine's integer types and order of fields. */
function contentOf(lines: string): string[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.stringify(unpacked(JSON.parse(line) as Line)))
    .sort();
}

function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (value === null || typeof value !== 'object') return value;
  const { $binary, $numberInt, $numberLong } = value as Record<string, unknown>;
  if ($numberInt !== undefined || $numberLong !== undefined) return String($numberInt ?? $numberLong);
  if ($binary !== undefined) {
    const bytes = Buffer.from(($binary as { base64: string }).base64, 'base64');
    return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  }
  const kept = Object.entries(value)
    .filter(([name]) => !BOOKKEEPING.has(name))
    .sort(([a], [b]) => compare(a, b));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, SETS.has(name) ? [...(one as string[])].sort() : unpacked(one)]),
  );
}

describe('the data file', () => {
  test('is what the pipeline makes of the synthetic filings today: else run npm run sandbox', {
    tags: ['long'],
    timeout: 300_000,
  }, async () => {
    const built = contentOf(await buildSandbox(world.config, world.urls));
    const kept = contentOf(gunzipSync(await readFile(DATA_FILE)).toString('utf8'));
    expect(built.filter((line) => !kept.includes(line))).toEqual([]);
    expect(kept.filter((line) => !built.includes(line))).toEqual([]);
  });

  test('names only invented parties: private CUSIPs with valid check digits, CIKs and accessions that EDGAR has not assigned', async () => {
    const text = contentOf(gunzipSync(await readFile(DATA_FILE)).toString('utf8')).join('\n');
    const cusips = new Set(
      [...text.matchAll(/cusip\W+([0-9A-Z]{9})\b/gi)].map(([, cusip]) => cusip as Cusip),
    );
    expect(cusips.size).toBeGreaterThan(10);
    for (const cusip of cusips) {
      expect(cusip).toMatch(/^99|^78462F103$/);
      expect(cusipCheckDigitOk(cusip)).toBe(true);
    }
    const accessions = new Set(text.match(/\b\d{10}-\d\d-\d{6}\b/g));
    expect(accessions.size).toBeGreaterThan(60);
    for (const accession of accessions) expect(accession).toMatch(/^999/);
    const ciks = new Set([...text.matchAll(/cik\W+(\d{10})\b/gi)].map(([, cik]) => cik ?? ''));
    expect(ciks.size).toBeGreaterThan(10);
    for (const cik of ciks) expect(cik).toMatch(/^999/);
  });
});

describe('filling a database', () => {
  const countsIn = async (db: Db) => {
    const { collections } = await readSandboxData();
    const counts = [...collections.keys()].map((name) => db.collection(name).countDocuments());
    return (await Promise.all(counts)).map(Number);
  };
  /** With the marker, which is a setting. */
  const lengths = async () =>
    [...(await readSandboxData()).collections].map(
      ([name, docs]) => docs.length + (name === 'settings' ? 1 : 0),
    );
  const fresh = (name: string): Db => {
    const db = world.mongo.client.db(`${world.config.mongoDb}_${name}`);
    databases.push(db);
    return db;
  };

  test('by several processes at once inserts every document once', async () => {
    const data = await readSandboxData();
    const db = fresh('at_once');
    await Promise.all([fillSandbox(db, data), fillSandbox(db, data), fillSandbox(db, data)]);
    expect(await countsIn(db)).toEqual(await lengths());
  });

  test('that was interrupted is completed by the next process', async () => {
    const data = await readSandboxData();
    const db = fresh('halfway');
    const [first] = data.collections.get('funds') ?? [];
    await db.collection('funds').insertOne({ ...first });
    await fillSandbox(db, data);
    expect(await countsIn(db)).toEqual(await lengths());
  });

  test('happens once: later processes find the marker and write nothing', async () => {
    const data = await readSandboxData();
    const main = fresh('main');
    const db = fresh(sandboxName('main', data.digest));
    const [a, b] = await Promise.all([openSandbox(main).ready(), openSandbox(main).ready()]);
    expect(a.databaseName).toBe(db.databaseName);
    await fundsIn(b).deleteMany({});
    await openSandbox(main).ready();
    expect(Number(await fundsIn(db).countDocuments())).toBe(0);
  });

  test('that failed is repeated by the next call', async () => {
    const { client } = world.mongo;
    let isUnavailable = true;
    const main = {
      databaseName: `${world.config.mongoDb}_away`,
      client: {
        db: (name: string) => {
          if (isUnavailable) throw new Error('away');
          const db = client.db(name);
          databases.push(db);
          return db;
        },
      },
    };
    const sandbox = openSandbox(main as unknown as Db);
    await expect(sandbox.ready()).rejects.toThrow('away');
    isUnavailable = false;
    expect(Number(await fundsIn(await sandbox.ready()).countDocuments())).toBe(14);
  });
});
