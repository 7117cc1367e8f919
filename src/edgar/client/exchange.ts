import { appendFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { EdgarError } from '../error.ts';

export type Caps = Readonly<typeof CAPS>;

/** Limits of one answer (rule 10.3). Bytes are counted while streaming. */
export const CAPS = {
  headersMs: 10_000,
  bodyMs: 60_000,
  compressedBytes: 64 * 2 ** 20,
  inflatedBytes: 256 * 2 ** 20,
  /** Inflated over compressed. Checked above one megabyte, because small bodies may compress well. */
  ratio: 100,
};

/** Of what is read in the main thread: feeds, indexes, lists of filings. Real ones have at most 5 MB. */
export const LISTING_BYTES = 16 * 2 ** 20;

/** Of a data set, which goes to a file: the largest of today has some 100 MB. */
export const FILE_CAPS: Caps = {
  ...CAPS,
  bodyMs: 30 * 60_000,
  compressedBytes: 2 ** 30,
  inflatedBytes: 2 ** 30,
};

/** Of a body in a file, kept in memory to judge the answer. */
const HEAD_BYTES = 16_384;

export type Exchange = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body; only its head where it went to a file. */
  readonly bytes: Buffer;
};

export type ExchangeOptions = {
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  readonly caps: Caps;
  /** Where the body goes in place of memory. */
  readonly file?: string;
  /** Ends the exchange early. */
  readonly signal?: AbortSignal;
};

/**
 * One GET with the whole body in memory or in a file, inflated. A redirect is an answer and never followed.
 * Throws `edgar_unavailable`, `edgar_truncated` or `edgar_too_large`.
 * @param condition headers that ask only for what changed
 */
export async function exchange(
  url: URL,
  condition: Readonly<Record<string, string>>,
  options: ExchangeOptions,
): Promise<Exchange> {
  const { caps } = options;
  const deadline = new AbortController();
  const late = () => deadline.abort(new Error(`no complete answer within its time`));
  let timer = setTimeout(late, caps.headersMs);
  try {
    const response = await request(url, {
      dispatcher: options.dispatcher,
      // undici 7 crashes the process when a server closes a connection whose parser is paused: none pauses.
      highWaterMark: caps.compressedBytes,
      headers: { 'user-agent': options.userAgent, 'accept-encoding': 'gzip', accept: '*/*', ...condition },
      signal: AbortSignal.any([deadline.signal, ...(options.signal ? [options.signal] : [])]),
    });
    clearTimeout(timer);
    timer = setTimeout(late, caps.bodyMs);
    const { statusCode: status, headers } = response;
    // It has the headers of the document, its length among them, and no body.
    if (status === 304) return { status, headers, bytes: Buffer.alloc(0) };
    return { status, headers, bytes: await readBody(response.body, headers, options) };
  } catch (cause) {
    if (cause instanceof EdgarError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `no whole answer from ${url}: ${reason}`;
    throw new EdgarError('edgar_unavailable', message, { retry: true, cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(
  body: Readable,
  headers: IncomingHttpHeaders,
  { caps, file }: ExchangeOptions,
): Promise<Buffer> {
  if (file === undefined) return collectBody(body, { headers, caps, sink: inMemory() });
  const handle = await open(file, 'w');
  try {
    return await collectBody(body, { headers, caps, sink: inFile(handle) });
  } finally {
    await handle.close();
  }
}

/** Takes the pieces of a body, and returns what is kept of it in memory. */
type Sink = { readonly take: (chunk: Buffer) => void; readonly kept: () => Buffer };

function inMemory(): Sink {
  const chunks: Buffer[] = [];
  return { take: (chunk) => void chunks.push(chunk), kept: () => Buffer.concat(chunks) };
}

function inFile(handle: FileHandle): Sink {
  let head = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    // At once, so that nothing piles up in memory.
    appendFileSync(handle.fd, chunk);
  };
  return { take, kept: () => head };
}

type Collecting = { readonly headers: IncomingHttpHeaders; readonly caps: Caps; readonly sink: Sink };

async function collectBody(body: Readable, { headers, caps, sink }: Collecting): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  let received = 0;
  let inflated = 0;
  async function* countReceived(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      received += chunk.length;
      if (received > caps.compressedBytes) throw tooLarge('more bytes than allowed');
      yield chunk;
    }
  }
  async function collect(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      inflated += chunk.length;
      const bomb = inflated > 2 ** 20 && inflated > received * caps.ratio;
      if (inflated > caps.inflatedBytes || bomb) throw tooLarge('inflates to more than allowed');
      sink.take(chunk);
    }
  }
  if (encoding === 'identity') await pipeline(body, countReceived, collect);
  else if (encoding === 'gzip') await inflate(pipeline(body, countReceived, createGunzip(), collect));
  else throw truncated(`unexpected content encoding ${encoding}`);
  requireLength(headers, received);
  return sink.kept();
}

async function inflate(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    const broken = cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_');
    throw broken ? truncated('the gzip stream is broken or cut') : cause;
  }
}

/** `Content-Length` counts the bytes as sent: compressed ones where they are compressed. */
function requireLength(headers: IncomingHttpHeaders, received: number): void {
  const declared = headers['content-length'];
  if (declared === undefined || Number(declared) === received) return;
  throw truncated(`${received} bytes instead of ${declared}`);
}

function truncated(why: string): EdgarError {
  return new EdgarError('edgar_truncated', `the answer is not whole: ${why}`, { retry: true });
}

function tooLarge(why: string): EdgarError {
  return new EdgarError('edgar_too_large', `the answer is refused: ${why}`, { retry: false });
}
