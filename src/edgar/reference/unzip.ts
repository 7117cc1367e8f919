import type { Readable } from 'node:stream';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { malformed } from '../error.ts';

/** A half-month of fails is about 4 MB of text. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * The text of the first entry whose name matches, as a stream. yauzl refuses encrypted entries and
 * wrong sizes; an entry that declares too much is refused here. Throws `edgar_malformed`.
 */
export async function unzipOne(bytes: Buffer, name: RegExp): Promise<Readable> {
  try {
    const zip = await open(bytes);
    const entry = await findEntry(zip, name);
    if (entry.uncompressedSize > MAX_BYTES) throw new Error('it inflates to more than allowed');
    return await openEntry(zip, entry);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw malformed('the zip', why, cause);
  }
}

function open(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function findEntry(zip: ZipFile, name: RegExp): Promise<Entry> {
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => (name.test(entry.fileName) ? resolve(entry) : zip.readEntry()));
    zip.once('end', () => reject(new Error('no such entry in it')));
    zip.once('error', reject);
    zip.readEntry();
  });
}

function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
}
