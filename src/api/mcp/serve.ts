import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Api } from '../api.ts';
import { type Problem, problem } from '../http/problem.ts';
import { admit } from '../metering/admit.ts';
import { openCall } from '../metering/call.ts';
import { nameCall } from '../metering/idempotency.ts';
import { readBody } from './body.ts';
import { requestedCall } from './call-request.ts';
import { type McpExchange, sendRefusal } from './exchange.ts';
import { readMessage } from './message.ts';
import { finish } from './work.ts';

/**
 * Answers one message. Everything needs a key and counts against its pace; only a tool is charged, by
 * the same core as its REST mirror.
 */
export async function serveMessage(api: Api, line: McpExchange): Promise<void> {
  const { req, res } = line;
  const { presented, problem: stranger } = await admit(api, req);
  if (presented === null) return tellHttp(line, stranger);
  if (!isPlainJson(req)) return tellHttp(line, NOT_JSON);
  const body = await readBody(req);
  if (body.kind === 'gone') return;
  if (body.kind === 'too_large') {
    res.shouldKeepAlive = false;
    return tellHttp(line, TOO_LARGE);
  }
  const read = readMessage(body.bytes);
  const message = read.ok ? read.message : null;
  const asked = requestedCall(message);
  const named = nameCall(asked.endpoint, req, asked.read);
  // A header that is wrong is listed with the arguments, as over REST.
  const wrong = [...named.details, ...(asked.read.ok ? [] : asked.read.details)];
  const judged = wrong.length === 0 ? asked.read : ({ ok: false, details: wrong } as const);
  const opening = await openCall(api, asked.endpoint, { presented, read: judged, named });
  if (opening.opened !== null) return finish(api, line, { ...asked, message: read, opened: opening.opened });
  if (opening.problem.status === 401) await api.authFailures.count(req);
  await sendRefusal(line, message, opening);
}

const TOO_LARGE = problem('content_too_large', 'The body is larger than 64 KB.');
const NOT_JSON = problem(
  'unsupported_media_type',
  'Send Content-Type: application/json, without a Content-Encoding.',
);

function isPlainJson({ headers }: IncomingMessage): boolean {
  return (
    isJsonContentType(headers['content-type']) && (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}

function tellHttp(line: McpExchange, told: Problem): Promise<void> {
  return sendRefusal(line, null, { problem: told, metered: [] });
}
