import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BSON, type Document } from 'mongodb';
import { sha256Hex } from '../domain/canonical.ts';

/** Written by `npm run sandbox` from synthetic filings, one {@link Line} of JSON each. */
export const DATA_FILE = new URL('data.jsonl.gz', import.meta.url);

/** One document in canonical Extended JSON, with its collection. */
export type Line = { readonly in: string; readonly doc: unknown };

export type SandboxData = {
  /** SHA-256 of the lines. */
  readonly digest: string;
  readonly collections: ReadonlyMap<string, readonly Document[]>;
};

/** Reads the data set that is part of the product. */
export async function readSandboxData(): Promise<SandboxData> {
  const text = await promisify(gunzip)(await readFile(DATA_FILE));
  return { digest: sha256Hex(text), collections: collectionsIn(text.toString('utf8')) };
}

function collectionsIn(text: string): Map<string, Document[]> {
  const collections = new Map<string, Document[]>();
  for (const json of text.split('\n')) {
    if (json === '') continue;
    const line = JSON.parse(json) as Line;
    const doc = BSON.EJSON.deserialize(line.doc as Document, { relaxed: false, useBigInt64: true });
    const docs = collections.get(line.in);
    if (docs === undefined) collections.set(line.in, [doc]);
    else docs.push(doc);
  }
  return collections;
}
