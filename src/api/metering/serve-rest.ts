import type { Request, Response } from 'express';
import { briefReplies } from '../cache/brief-lookup.ts';
import { csvOf } from '../endpoint/csv.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { queryOf, valuesFromText, withValues } from '../endpoint/text-input.ts';
import { notedOf } from '../http/noted.ts';
import type { Detail } from '../http/problem.ts';
import {
  chooseReply,
  csvReply,
  encodedFor,
  hasCurrent,
  jsonReply,
  notModifiedReply,
  type Reply,
  send,
  sendProblem,
  taggedReply,
} from '../http/reply.ts';
import type { Api } from '../open.ts';
import { admit, type CallRequest, finishCall, openCall } from './call.ts';
import { type Answered, nameCall } from './idempotency.ts';

/** One request for one endpoint whose route is found. */
type Exchange = {
  readonly req: Request;
  readonly res: Response;
  readonly requestId: string;
  /** Decoded path parameters; null when one could not be decoded. */
  readonly params: Readonly<Record<string, string>> | null;
};

/**
 * Answers one call over REST: authenticates, validates, checks the balance, does the work, builds the
 * whole answer, charges, sends (rules 11.2 and 12.2).
 */
export async function serve(api: Api, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const { req, res, requestId } = exchange;
  const { presented, problem: refused } = await admit(api, req, res);
  if (refused !== null) return sendProblem(res, requestId, refused);
  const noted = notedOf(req);
  const opening = await openCall(api, { ...readCall(endpoint, exchange), endpoint, presented, noted });
  if (opening.opened === null) {
    if (opening.problem.status === 401) await api.authFailures.count(req, res);
    return sendProblem(res, requestId, opening.problem, opening.metered);
  }
  await finishCall(api, opening.opened, {
    res,
    build: (answered) => replyTo(req, endpoint, answered),
    deliver: (reply, metered) => send(res, requestId, reply, metered),
    refuse: (problem, metered) => sendProblem(res, requestId, problem, metered),
  });
}

/** Reads the parameters and headers. All their problems are listed together. */
function readCall(endpoint: Endpoint, { req, params }: Exchange): Pick<CallRequest, 'read' | 'named'> {
  const query = new URLSearchParams(queryOf(req.url ?? ''));
  const text = valuesFromText(endpoint, params ?? {}, query);
  const read = endpoint.read(text.values);
  const named = nameCall(endpoint, req, { read });
  const undecodable: Detail[] = params === null ? [{ param: 'path', reason: 'is not decodable' }] : [];
  const before = [...undecodable, ...text.details, ...named.details];
  if (before.length === 0 && read.ok) return { read, named };
  // Path parameters are repeated in errors too.
  const given = new URLSearchParams([...Object.entries(params ?? {}), ...query]);
  const listed = new Set(before.map((detail) => detail.param));
  const found = read.ok || params === null ? [] : read.details.filter((detail) => !listed.has(detail.param));
  return { read: { ok: false, details: withValues([...before, ...found], given) }, named };
}

/** The answer as its client takes it. */
function replyTo(req: Request, endpoint: Endpoint, answered: Answered): Reply {
  if (answered.kind === 'stored') return chooseReply(req, briefReplies(answered.brief, answered));
  const choosesBy = endpoint.csv === true ? 'Accept, ' : '';
  if (endpoint.csv === true && req.accepts(['json', 'csv']) === 'csv') {
    return encodedFor(req, csvReply(csvOf(endpoint, answered.body), answered.headers), choosesBy);
  }
  return encodedFor(req, jsonOf(req, answered), choosesBy);
}

function jsonOf(req: Request, { body, etag, headers }: Extract<Answered, { kind: 'body' }>): Reply {
  if (etag === undefined) return jsonReply(200, body, headers);
  return hasCurrent(req, etag) ? notModifiedReply(etag) : taggedReply(body, etag, headers);
}
