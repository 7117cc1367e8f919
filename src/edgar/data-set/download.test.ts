import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FaultPlan } from '../../../packages/local-edgar/faults.ts';
import { type LocalEdgar, serveLocalEdgar } from '../../../packages/local-edgar/serve.ts';
import { ownFolder } from '../../../test/own-folder.ts';
import type { EdgarBucket } from '../client/bucket.ts';
import type { Caps } from '../client/exchange.ts';
import { type EdgarClient, openEdgarClient } from '../client/open.ts';
import type { DataSetArchive } from './archive.ts';
import { downloadDataSet, removeLeftDownloads } from './download.ts';

const NAME = '2018q4_form13f';
/** More than a socket and a stream hold. */
const ZIP = emptyZip(4 * 2 ** 20);
/** As many as undici holds before it pauses: all have arrived when the connection is closed. */
const PAUSING = emptyZip(68 * 2 ** 10);

const published = ownFolder('published', beforeEach);
const temporary = ownFolder('temporary', beforeEach);
const opened: (LocalEdgar | EdgarClient)[] = [];

beforeEach(() => {
  vi.stubEnv('TMPDIR', temporary);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** A zip without entries, after bytes that belong to none. */
function emptyZip(bytes: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt32LE(bytes, 16);
  return Buffer.concat([Buffer.alloc(bytes, 'x'), end]);
}

type Serving = { readonly faults?: FaultPlan; readonly caps?: Partial<Caps>; readonly signal?: AbortSignal };

async function downloaded(
  { faults, caps = {}, signal }: Serving = {},
  name = NAME,
): Promise<DataSetArchive | null> {
  const edgar = await serveLocalEdgar({ dir: published, faults });
  const bucket: EdgarBucket = {
    take: async () => undefined,
    block: async () => 1,
    blockedForMs: async () => 0,
  };
  const client = openEdgarClient({ baseUrl: edgar.url, userAgent: undefined, bucket, caps });
  opened.push(edgar, client);
  return downloadDataSet(client, name, signal ?? new AbortController().signal);
}

const publish = (bytes: Buffer): void => writeFileSync(join(published, `${NAME}.zip`), bytes);

test('a data set that is not published is null, and nothing is left of it', async () => {
  expect(await downloaded()).toBeNull();
  expect(readdirSync(temporary)).toEqual([]);
});

test('the file is there until its archive is closed', async () => {
  publish(ZIP);
  const archive = await downloaded();
  expect(archive).toMatchObject({ name: NAME, tables: new Map() });
  expect(readdirSync(temporary)).toHaveLength(1);
  await archive?.close();
  expect(readdirSync(temporary)).toEqual([]);
});

test('what a killed process left is removed, and what a running one downloads stays', async () => {
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const [left, running] = [`tidemark-data-set-${ended}-abcdef`, `tidemark-data-set-${process.ppid}-abcdef`];
  for (const name of [left, running, 'tidemark-data-set-other']) mkdirSync(join(temporary, name));
  writeFileSync(join(temporary, left, `${NAME}.zip`), ZIP);
  await removeLeftDownloads();
  expect(readdirSync(temporary)).toEqual([running, 'tidemark-data-set-other'].sort());
});

test('a data set in the folder that the SEC began in 2026 is found there', async () => {
  const name = '2026q2_form345';
  writeFileSync(join(published, `${name}.zip`), ZIP);
  const archive = await downloaded({}, name);
  expect(archive).toMatchObject({ name });
  await archive?.close();
});

test.each(['wrong_length', 'reset', 'too_many_requests', 'html_page'] as const)(
  'a download is repeated after %s until it is whole',
  async (fault) => {
    publish(PAUSING);
    const archive = await downloaded({ faults: { seed: 1, shares: { [fault]: 1 }, timesPerPath: 1 } });
    expect(archive?.name).toBe(NAME);
    await archive?.close();
  },
);

test('more bytes than allowed are refused at once, and nothing is left of them', async () => {
  publish(ZIP);
  await expect(downloaded({ caps: { compressedBytes: 2 ** 20 } })).rejects.toMatchObject({
    code: 'edgar_too_large',
  });
  expect(readdirSync(temporary)).toEqual([]);
});

test('a signal ends the wait for the next try', async () => {
  publish(ZIP);
  const faults = { seed: 1, shares: { unavailable: 1 } };
  const started = performance.now();
  await expect(downloaded({ faults, signal: AbortSignal.timeout(300) })).rejects.toMatchObject({
    code: 'edgar_unavailable',
  });
  expect(performance.now() - started).toBeLessThan(1_000);
  expect(readdirSync(temporary)).toEqual([]);
});
