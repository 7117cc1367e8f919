import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  FILE_UNAVAILABLE,
  type LocalAnswer,
  THRESHOLD_EXCEEDED,
  TOO_MANY_REQUESTS,
  type text,
} from './answers.ts';
import type { Fault } from './faults.ts';

const SLOW_PIECES = 5;
const SLOW_PAUSE_MS = 200;
/** What Content-Length promises and the body lacks. */
const MISSING_BYTES = 1_000;

/** Sends an answer with a fault. Faults of feed entries are made where the feed is written. */
export async function misbehave(response: ServerResponse, fault: Fault, answer: LocalAnswer): Promise<void> {
  switch (fault) {
    case 'block_page':
      return sendPage(response, THRESHOLD_EXCEEDED);
    case 'too_many_requests':
      return sendPage(response, TOO_MANY_REQUESTS);
    case 'unavailable':
      return sendPage(response, FILE_UNAVAILABLE);
    case 'html_page':
      return sendPage(response, { ...FILE_UNAVAILABLE, status: 200 });
    case 'slow':
      return sendSlowly(response, answer);
    case 'reset':
      return sendAndReset(response, answer);
    case 'wrong_length':
      return sendShort(response, answer);
    case 'truncated_index':
      return sendBody(response, answer, truncated(await bodyOf(answer)));
    case 'empty_index':
      return sendBody(response, answer, withoutRows(await bodyOf(answer)));
    case 'omitted_entry':
    case 'repeated_entry':
      return sendBody(response, answer, await bodyOf(answer));
  }
}

async function bodyOf(answer: LocalAnswer): Promise<Buffer> {
  return 'file' in answer ? readFile(answer.file) : Buffer.from(answer.text, 'latin1');
}

function sendBody(response: ServerResponse, { status, type }: LocalAnswer, body: Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
}

let pages = 0;

/** Each page has a number of its own, as the pages of EDGAR's edge have: no two have the same bytes. */
function sendPage(response: ServerResponse, page: ReturnType<typeof text>): void {
  pages += 1;
  const body = page.text.replace('</body>', `<p>Reference ID: 0.${pages}</p></body>`);
  sendBody(response, page, Buffer.from(body, 'latin1'));
}

async function sendSlowly(response: ServerResponse, answer: LocalAnswer): Promise<void> {
  const body = await bodyOf(answer);
  response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': body.length });
  const size = Math.ceil(body.length / SLOW_PIECES);
  for (let piece = 0; piece < SLOW_PIECES; piece++) {
    response.write(body.subarray(piece * size, (piece + 1) * size));
    await sleep(SLOW_PAUSE_MS);
  }
  response.end();
}

async function sendAndReset(response: ServerResponse, answer: LocalAnswer): Promise<void> {
  const body = await bodyOf(answer);
  response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.resetAndDestroy());
}

async function sendShort(response: ServerResponse, answer: LocalAnswer): Promise<void> {
  const body = await bodyOf(answer);
  const length = body.length + MISSING_BYTES;
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': length,
    connection: 'close',
  });
  response.end(body);
}

/** Ends in the middle of a row, never after one: a reader can see that it is cut. */
function truncated(body: Buffer): Buffer {
  const half = Math.floor(body.length / 2);
  return body.subarray(0, body[half - 1] === 0x0a ? half - 1 : half);
}

function withoutRows(body: Buffer): Buffer {
  return Buffer.from(body.toString('latin1').replace(/^(-{20,}\n)[\s\S]*$/m, '$1'), 'latin1');
}
