import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Entry, type Options, open as openZip, type ZipFile } from 'yauzl';
import { malformed } from '../error.ts';

/** The largest table of a quarter, INFOTABLE, has some 400 MB. */
const MAX_TABLE_BYTES = 4 * 2 ** 30;
/** Inflated over compressed, as of an answer of EDGAR; above one megabyte, because small tables may compress well. */
const MAX_RATIO = 100;

/** A data set on disk: the SEC's zip, or a folder of its unpacked tables. */
export type DataSetArchive = {
  readonly name: string;
  /** Of the zip's bytes, or of the names, sizes and times of the tables in a folder: another one is another data set. */
  readonly digest: string;
  /** Uncompressed bytes by table; a table is named as its file without `.tsv`. */
  readonly tables: ReadonlyMap<string, number>;
  readonly open: (table: string) => Promise<Readable>;
  readonly close: () => Promise<void>;
};

/** The name of the file or folder without its ending. */
export const archiveName = (path: string): string => basename(path).replace(/\.zip$/i, '');

/** Throws `edgar_malformed` for what is neither a zip nor a folder of tables. */
export async function openArchive(path: string): Promise<DataSetArchive> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? await openFolder(path) : await openZipFile(path);
  } catch (cause) {
    throw malformed(`the data set ${path}`, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

const tableOf = (file: string): string | null =>
  /^(?:.*[^A-Z0-9_])?([A-Z0-9_]+)\.tsv$/i.exec(file)?.[1]?.toUpperCase() ?? null;

async function openFolder(path: string): Promise<DataSetArchive> {
  const tables = new Map<string, number>();
  const files = new Map<string, string>();
  const hash = createHash('sha256');
  for (const file of (await readdir(path)).sort()) {
    const table = tableOf(file);
    if (table === null) continue;
    const { size, mtimeMs } = await stat(join(path, file));
    hash.update(`${file}|${size}|${mtimeMs}\n`);
    tables.set(table, size);
    files.set(table, join(path, file));
  }
  return {
    name: archiveName(path),
    digest: hash.digest('hex'),
    tables,
    open: async (table) => createReadStream(files.get(table) ?? missing(table)),
    close: async () => undefined,
  };
}

async function openZipFile(path: string): Promise<DataSetArchive> {
  const digest = await digestOfFile(path);
  const zip = await promisify<string, Options, ZipFile>(openZip)(path, {
    lazyEntries: true,
    autoClose: false,
  });
  const entries = new Map<string, Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      const table = tableOf(entry.fileName);
      if (table !== null) entries.set(table, entry);
      zip.readEntry();
    });
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.readEntry();
  });
  const openEntry = promisify<Entry, Readable>(zip.openReadStream.bind(zip));
  return {
    name: archiveName(path),
    digest,
    tables: new Map([...entries].map(([table, entry]) => [table, entry.uncompressedSize])),
    open: async (table) => {
      const entry = entries.get(table) ?? missing(table);
      const isBomb = entry.uncompressedSize > Math.max(2 ** 20, MAX_RATIO * entry.compressedSize);
      if (isBomb || entry.uncompressedSize > MAX_TABLE_BYTES)
        throw malformed(table, 'it inflates to more than allowed');
      return openEntry(entry).catch((cause: Error) => {
        throw malformed(table, cause.message, cause);
      });
    },
    close: async () => zip.close(),
  };
}

function missing(table: string): never {
  throw malformed('the data set', `it has no table ${table}`);
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
