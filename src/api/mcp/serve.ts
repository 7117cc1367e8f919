import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Api } from '../api.ts';
import { readBody } from '../http/body.ts';
import { BODY_TOO_LARGE } from '../http/limits.ts';
import { type Problem, problem } from '../http/problem.ts';
import { admit } from '../metering/admit.ts';
import { openCall } from '../metering/call.ts';
import { nameCall } from '../metering/idempotency.ts';
import { requestedCall } from './call-request.ts';
import { type McpExchange, sendRefusal } from './exchange.ts';
import { readMessage } from './message.ts';
import { finish } from './work.ts';

/**
 * Answers one message. Every message needs a key and counts against its rate limit. Only a tool is
 * charged, by the same code as its REST mirror.
 */
export async function serveMessage(api: Api, exchange: McpExchange): Promise<void> {
  const { req, res } = exchange;
  const { presented, problem: refused } = await admit(api, req);
  if (presented === null) return refuseOverHttp(exchange, refused);
  if (!isPlainJson(req)) return refuseOverHttp(exchange, NOT_JSON);
  const body = await readBody(req);
  if (body.kind === 'aborted') return;
  if (body.kind === 'too_large') {
    res.shouldKeepAlive = false;
    return refuseOverHttp(exchange, BODY_TOO_LARGE);
  }
  const message = readMessage(body.bytes);
  const requested = requestedCall(message.ok ? message.message : null);
  const named = nameCall(requested.endpoint, req, requested.read);
  // A wrong header is listed with the arguments, as over REST.
  const wrong = [...named.details, ...(requested.read.ok ? [] : requested.read.details)];
  const read = wrong.length === 0 ? requested.read : ({ ok: false, details: wrong } as const);
  const opening = await openCall(api, { endpoint: requested.endpoint, presented, read, named });
  if (opening.opened !== null) return finish(api, exchange, message, opening.opened);
  if (opening.problem.status === 401) await api.authFailures.count(req);
  await sendRefusal(exchange, message.ok ? message.message : null, opening);
}

const NOT_JSON = problem(
  'unsupported_media_type',
  'Send Content-Type: application/json, without a Content-Encoding.',
);

function isPlainJson({ headers }: IncomingMessage): boolean {
  return (
    isJsonContentType(headers['content-type']) && (headers['content-encoding'] ?? 'identity') === 'identity'
  );
}

function refuseOverHttp(exchange: McpExchange, problem: Problem): Promise<void> {
  return sendRefusal(exchange, null, { problem, metered: [] });
}
