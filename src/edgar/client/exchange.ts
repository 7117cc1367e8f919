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

export type Exchange = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
};

export type ExchangeOptions = {
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  readonly caps: Caps;
};

/**
 * One GET with the whole body in memory, inflated. A redirect is an answer and never followed.
 * Throws `edgar_unavailable`, `edgar_truncated` or `edgar_too_large`.
 */
export async function exchange(url: URL, options: ExchangeOptions): Promise<Exchange> {
  const { caps } = options;
  const deadline = new AbortController();
  const late = () => deadline.abort(new Error(`no complete answer within its time`));
  let timer = setTimeout(late, caps.headersMs);
  try {
    const response = await request(url, {
      dispatcher: options.dispatcher,
      headers: { 'user-agent': options.userAgent, 'accept-encoding': 'gzip', accept: '*/*' },
      signal: deadline.signal,
    });
    clearTimeout(timer);
    timer = setTimeout(late, caps.bodyMs);
    const { statusCode: status, headers } = response;
    return { status, headers, bytes: await readBody(response.body, headers, caps) };
  } catch (cause) {
    if (cause instanceof EdgarError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `no whole answer from ${url}: ${reason}`;
    throw new EdgarError('edgar_unavailable', message, { retry: true, cause });
  } finally {
    clearTimeout(timer);
  }
}

async function readBody(body: Readable, headers: IncomingHttpHeaders, caps: Caps): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  const chunks: Buffer[] = [];
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
      chunks.push(chunk);
    }
  }
  if (encoding === 'identity') await pipeline(body, countReceived, collect);
  else if (encoding === 'gzip') await inflate(pipeline(body, countReceived, createGunzip(), collect));
  else throw truncated(`unexpected content encoding ${encoding}`);
  requireLength(headers, received);
  return Buffer.concat(chunks, inflated);
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
