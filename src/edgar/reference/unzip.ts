import { on } from 'node:events';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Entry, fromBuffer, type Options, type ZipFile } from 'yauzl';
import { malformed } from '../error.ts';

/** A half-month of fails is about 4 MB of text. yauzl ends a stream that gives more than its entry declares. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * The text of the first entry whose name matches, as a stream. yauzl refuses encrypted entries and
 * wrong sizes; an entry that declares too much is refused here. Throws `edgar_malformed`.
 */
export async function unzipOne(bytes: Buffer, name: RegExp): Promise<Readable> {
  try {
    const zip = await promisify<Buffer, Options, ZipFile>(fromBuffer)(bytes, { lazyEntries: true });
    const entry = await findEntry(zip, name);
    if (entry.uncompressedSize > MAX_BYTES) throw new Error('it inflates to more than allowed');
    return await promisify<Entry, Readable>(zip.openReadStream.bind(zip))(entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw malformed('the zip', why, cause);
  }
}

async function findEntry(zip: ZipFile, name: RegExp): Promise<Entry> {
  const entries = on(zip, 'entry', { close: ['end'] }) as AsyncIterable<[Entry]>;
  zip.readEntry();
  for await (const [entry] of entries) {
    if (name.test(entry.fileName)) return entry;
    zip.readEntry();
  }
  throw new Error('no such entry in it');
}
